import type { System } from './system.ts';

const things: Readonly<Record<System, readonly [one: string, many: string]>> = {
  desktop: ['window is', 'windows are'],
  finder: ['document is', 'documents are'],
};

/** Why what a server lists is not shown, and the setting that shows it (docs/config.md). */
export function unheardReason(system: System, count: number): string {
  const [one, many] = things[system];
  return (
    `its ${count} ${count === 1 ? one : many} not shown, because it does not declare resources.subscribe; ` +
    '"a2c": {"participation": "resources"} in its config, or at the top of the file, shows them'
  );
}
