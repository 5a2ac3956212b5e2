export { limits } from './limits.ts';
export { checkPath, isSkipped, joinPath, type CheckedPath } from './path.ts';
export { patternTest } from './pattern.ts';
export { findLines, isBinary, linesOf, sizeText, type Hit } from './text.ts';
export {
  inSections,
  named,
  pageOfId,
  pagesOf,
  type Draft,
  type DraftDocument,
  type DraftPage,
  type Element,
  type Page,
  type ReadDocument,
} from './document.ts';
export { fileTypeOf, formatOf, isPlausible, type DocumentFormat } from './formats.ts';
export {
  documentUri,
  elementAnswer,
  isNameable,
  metadataAnswer,
  ofCategories,
  pageAnswer,
  pagesAnswer,
  type Listed,
} from './levels.ts';
export { renderElement, renderPage } from './markdown.ts';
export { snippet, textIn, textOfPage, wordsIn } from './words.ts';
