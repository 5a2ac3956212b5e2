import type { Suite } from './suites.ts';

const olderFirst =
  'ours: a server is asked to `initialize` first, and one that speaks both is spoken to as before 2026-07-28 (DECISIONS.md)';

/** Scenarios that fail, and whose fault that is. This list only shrinks. */
export const open: Readonly<Record<Suite, Readonly<Record<string, string>>>> = {
  stable: {},
  newest: { 'request-metadata': olderFirst },
};
