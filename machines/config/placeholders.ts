import { isObject } from './mistake.ts';

/**
 * `${input:id}`, an input of the config (a2c-wire §3.9: any id without `}`), and `${env:NAME}`, a variable of the
 * host's environment. Nothing else is ever filled in, and nothing inside a key.
 */
export interface Placeholder {
  readonly kind: 'input' | 'env';
  readonly name: string;
}
export interface Span extends Placeholder {
  readonly start: number;
  readonly end: number;
}

const opening = '${';
const inputOpening = '${input:';
/** No `:`: other clients write defaults after one, which may be secrets. No `$`: it cannot reach over the next opening. */
const variable = /\$\{env:([^\s=:${}]{1,256})\}/y;

/** From left to right. By hand: the pattern for inputs is quadratic on a text of openings without ends. */
export const spansIn = (text: string): readonly Span[] => {
  const spans: Span[] = [];
  let at = text.indexOf(opening);
  while (at >= 0) {
    let next = at + opening.length;
    if (text.startsWith(inputOpening, at)) {
      const start = at + inputOpening.length;
      const end = text.indexOf('}', start);
      // No placeholder ends behind here.
      if (end < 0) break;
      next = end + 1;
      if (end > start) spans.push({ kind: 'input', name: text.slice(start, end), start: at, end: next });
    } else {
      variable.lastIndex = at;
      const [whole, name] = variable.exec(text) ?? [];
      if (whole !== undefined && name !== undefined) {
        next = at + whole.length;
        spans.push({ kind: 'env', name, start: at, end: next });
      }
    }
    at = text.indexOf(opening, next);
  }
  return spans;
};

/** Any other `${…}`: other clients fill these from the workspace, or with defaults, we never do. */
const othersIn = (text: string): readonly string[] => {
  const others: string[] = [];
  let from = 0;
  for (const { start, end } of [...spansIn(text), { start: text.length, end: text.length }]) {
    const gap = text.slice(from, start);
    from = end;
    let at = gap.indexOf(opening);
    while (at >= 0) {
      const close = gap.indexOf('}', at);
      if (close < 0) break;
      others.push(gap.slice(at, close + 1));
      at = gap.indexOf(opening, close);
    }
  }
  return others;
};

export const isTemplate = (text: string): boolean => spansIn(text).length > 0;

/** The ids of all `${input:id}` in the texts of a value (not in its keys), each once, in order of appearance. */
export const placeholdersIn = (value: unknown): readonly string[] => namesIn(value, 'input');
/** The same of all `${env:NAME}`. */
export const variablesIn = (value: unknown): readonly string[] => namesIn(value, 'env');
const namesIn = (value: unknown, wanted: Placeholder['kind']): readonly string[] =>
  found(value, (text) => spansIn(text).flatMap(({ kind, name }) => (kind === wanted ? [name] : [])));

/** The `${…}` that nobody will fill, as written but without a default after `:-`, which may be a secret. */
export const unfilledIn = (value: unknown): readonly string[] =>
  found(value, othersIn).map((text) => text.replace(/:-.*/s, ':-…}'));

/** Walks with a list of its own: a deep value must not overflow the stack of a machine. */
const found = (value: unknown, partsOf: (text: string) => readonly string[]): readonly string[] => {
  const hits = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      for (const hit of partsOf(next)) hits.add(hit);
    } else if (Array.isArray(next) || isObject(next)) {
      const parts: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
      for (let index = parts.length - 1; index >= 0; index -= 1) waiting.push(parts[index]);
    }
  }
  return [...hits];
};
