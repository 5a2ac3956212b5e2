import { isObject } from './mistake.ts';

const opening = '${';
const inputOpening = '${input:';

/** The ids in one text. By hand: the pattern of a2c-wire §3.9 is quadratic on a text of openings without ends. */
const idsIn = (text: string): readonly string[] => {
  const ids: string[] = [];
  let at = text.indexOf(inputOpening);
  while (at >= 0) {
    const start = at + inputOpening.length;
    const end = text.indexOf('}', start);
    if (end < 0) break;
    if (end > start) ids.push(text.slice(start, end));
    at = text.indexOf(inputOpening, Math.max(end, start));
  }
  return ids;
};

/** Any other `${…}`: other clients fill these from the environment or the workspace, we never do. */
const othersIn = (text: string): readonly string[] => {
  const others: string[] = [];
  let at = text.indexOf(opening);
  while (at >= 0) {
    const end = text.indexOf('}', at);
    if (end < 0) break;
    const isOther = !text.startsWith(inputOpening, at);
    if (isOther) others.push(text.slice(at, end + 1));
    at = text.indexOf(opening, isOther ? end : at + opening.length);
  }
  return others;
};

export const isTemplate = (text: string): boolean => idsIn(text).length > 0;

/** The ids of all `${input:id}` in the texts of a value (not in its keys), each once, in order of appearance. */
export const placeholdersIn = (value: unknown): readonly string[] => found(value, idsIn);

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
