import type { Suite } from './suites.ts';

/** Scenarios that fail, and whose fault that is. This list only shrinks. */
export const open: Readonly<Record<Suite, Readonly<Record<string, string>>>> = {
  stable: {},
  newest: {},
};
