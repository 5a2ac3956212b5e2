export type { CachedCatalog } from './format.ts';
export { keep, readCached, type Keeping } from './cached.ts';
