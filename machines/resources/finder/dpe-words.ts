/** The words that a URI of a document may hold (seed 000; the 19 kinds of elements: finder.md of the 0.2.0 draft). */
export const dpeCategories = [
  'text',
  'heading',
  'list',
  'code',
  'table',
  'pivot_table',
  'chart',
  'diagram',
  'image',
  'formula',
  'link',
  'annotation',
  'header',
  'footer',
  'separator',
  'audio',
  'video',
  'form',
  'widget',
] as const;
/** The 19 kinds of elements that the protocol knows. A server may have more of its own. */
export type DpeCategory = (typeof dpeCategories)[number];

export const dpeFormats = ['json', 'markdown', 'text'] as const;
/** `json` is data; `markdown` and `text` are texts for people and models. */
export type DpeFormat = (typeof dpeFormats)[number];

export const dpeDepths = ['metadata', 'pages'] as const;
/** How much a read of a document gives: what is told of it, or its list of pages too. */
export type DpeDepth = (typeof dpeDepths)[number];

/** The one of these words that this is. */
export const wordAmong = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text);
