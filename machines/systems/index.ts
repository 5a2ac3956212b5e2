/** Desktop and Finder as one shape with two sets of rules: what a list, a change, a read and a question mean to each. */
import { parseDpeUri } from '../finder/index.ts';
import type { Read } from '../wire/lists.ts';
import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { System, SystemRules } from './system.ts';

export type { AggregateShown, ResourceRead } from './answers.ts';
export { contentsIn } from './contents.ts';
export type { Contents, Listed, Missing, Notice, System, SystemRules } from './system.ts';
export const systems: Readonly<Record<System, SystemRules>> = { desktop, finder };

/** Whose URI it is: a window's scheme says Desktop, all else has to be a document's (4204). */
export function systemOfUri(uri: string): Read<System> {
  if (/^window:/i.test(uri)) return { ok: true, body: 'desktop' };
  const read = parseDpeUri(uri);
  return read.ok ? { ok: true, body: 'finder' } : read;
}
