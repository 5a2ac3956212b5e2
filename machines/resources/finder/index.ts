/** Documents: their URIs, a catalogue made of them, what changed about it, and reading on (seed 000). Mirrors `../desktop/`. */
export {
  buildDpeUri,
  isDpeUri,
  parseDpeUri,
  type BuiltDpeUri,
  type DpePlace,
  type DpeQuery,
  type DpeUri,
  type ParsedDpeUri,
} from './dpe-uri.ts';
export {
  dpeCategories,
  dpeDepths,
  dpeFormats,
  type DpeCategory,
  type DpeDepth,
  type DpeFormat,
} from './dpe-words.ts';
export {
  documentNotFound,
  elementNotFound,
  hostNotFound,
  invalidDpeUri,
  pageOutOfRange,
  type DpeRule,
} from './failures.ts';
export { documentsTouched } from './documents-touched.ts';
export {
  dpeUrisIn,
  refusedDocumentsIn,
  finderDifference,
  isFinderChanged,
  urisOfLevel,
} from './finder-update.ts';
export { instantOf } from './instant.ts';
export {
  readCatalogue,
  readElement,
  readMetadata,
  readPage,
  readPages,
  readSummary,
  type CatalogueRead,
} from './levels.ts';
export { arrangeDocuments, organizeFinder, type FinderPage } from './organize-finder.ts';
export { elementPlace, metadataPlace, pagePlace, pagesPlace } from './places.ts';
export { defaultLimit, finderQueryOf, finderQuestion, mostLimit, type FinderQuery } from './query.ts';
export { readRefusal } from './refusals.ts';
export { claimOf, routeOf, type Claim, type Route } from './route.ts';
