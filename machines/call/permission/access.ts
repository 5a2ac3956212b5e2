import type { ToolAnnotations } from '../../catalog/index.ts';
import { readWords, writeWords } from './access-words.ts';

export type Access = 'read' | 'write';

/** `HTMLParser` is HTML and Parser. */
const capitalFirst = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** `DELETEall` is DELETE and all. */
const capitalsTogether = /[A-Z]{2,}|[A-Z]?[a-z]+/g;

/**
 * The words of a name: it is taken apart at every character that is no ASCII letter, and at capitals. Where a run of
 * capitals can be read in two ways, both are given: a word of writing must not hide in the other one.
 */
export const wordsOf = (name: string): readonly string[] => {
  const found = [...name.matchAll(capitalFirst), ...name.matchAll(capitalsTogether)];
  return [...new Set(found.map(([word]) => word.toLowerCase()))];
};

/**
 * Whether a tool only looks, as far as its original name says (deepchat-mcpv §A.6, cases 36–39): by whole words, a
 * word of writing wins over one of reading, and a name with neither is a write. Annotations are hints of a stranger:
 * they make a read a write, never the other way round.
 */
export const accessOf = (tool: string, annotations: ToolAnnotations | null = null): Access => {
  const found = wordsOf(tool);
  const looks = found.some((word) => readWords.has(word)) && !found.some((word) => writeWords.has(word));
  const isHarmless = annotations?.readOnlyHint !== false && annotations?.destructiveHint !== true;
  return looks && isHarmless ? 'read' : 'write';
};
