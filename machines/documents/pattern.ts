import { limits } from './limits.ts';

/**
 * A simple glob as a test of relative paths: `*` and `?` within a name, `**` over any number of folders, `{a,b}`
 * for either. Without a `/` it tests the last name only. No backtracking over more than one `*`, so a hostile
 * pattern costs no more than a long one.
 */
export const patternTest = (pattern: string): ((path: string) => boolean) => {
  const whole = pattern.includes('/');
  const forms = alternatives(pattern).map((form) =>
    form.split('/').filter((part) => part !== '' && part !== '.'),
  );
  return (path) => {
    const parts = path.split('/');
    const tested = whole ? parts : parts.slice(-1);
    return forms.some((form) => matchesParts(form, tested));
  };
};

/** `*.{ts,js}` → `*.ts`, `*.js`. Not nested; beyond 64 forms the rest is taken as it stands. */
const alternatives = (pattern: string): readonly string[] => {
  let forms = [pattern.slice(0, limits.wordChars)];
  for (;;) {
    const next = forms.flatMap((form) => {
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(form);
      if (braces === null) return [form];
      const before = form.slice(0, braces.index);
      const after = form.slice(braces.index + braces[0].length);
      return (braces[1] ?? '').split(',').map((choice) => before + choice + after);
    });
    if (next.length > 64 || next.length === forms.length) return forms;
    forms = next;
  }
};

const matchesParts = (form: readonly string[], parts: readonly string[]): boolean =>
  greedy(
    form.length,
    parts.length,
    (at) => form[at] === '**',
    (at, index) => matchesName(form[at] ?? '', parts[index] ?? ''),
  );

const matchesName = (form: string, name: string): boolean =>
  greedy(
    form.length,
    name.length,
    (at) => form[at] === '*',
    (at, index) => form[at] === '?' || form[at] === name[index],
  );

/**
 * Wildcard matching that goes back to the last star only: enough, because an earlier star can always give what a
 * later one takes.
 */
const greedy = (
  formLength: number,
  textLength: number,
  isStar: (at: number) => boolean,
  isMatch: (at: number, index: number) => boolean,
): boolean => {
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < textLength) {
    if (at < formLength && isStar(at)) {
      star = at;
      resume = index;
      at += 1;
    } else if (at < formLength && isMatch(at, index)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else return false;
  }
  while (at < formLength && isStar(at)) at += 1;
  return at === formLength;
};
