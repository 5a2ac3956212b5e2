export type { KeptCatalog } from './format.ts';
export { keep, readKept, type Keeping } from './kept.ts';
