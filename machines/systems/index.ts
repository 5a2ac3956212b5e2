/** Desktop and Finder as one shape with two sets of rules: what a list, a change, a read and a question mean to each. */
import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { System, SystemRules } from './system.ts';

export type { Contents, Listed, Missing, System, SystemRules } from './system.ts';
export const systems: Readonly<Record<System, SystemRules>> = { desktop, finder };
