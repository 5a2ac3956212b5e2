import { contentHash } from '../../catalog/index.ts';
import type { Listed } from './collection.ts';

/**
 * What an office is told again when it is another one: the URIs of each server, whatever their order, and how often one of
 * them was said to be others. `who` counts those updates: one that took its place knows of none before.
 */
export const signatureOf = (who: string, updates: number, listed: readonly Listed[]): string =>
  contentHash([
    who,
    updates,
    listed
      .map(({ server, uris }) => [server, ...uris.toSorted()])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  ]);
