import type { ResourceCollection } from './collection.ts';

const things: Readonly<Record<ResourceCollection, readonly [one: string, many: string]>> = {
  desktop: ['window is', 'windows are'],
  finder: ['document is', 'documents are'],
};

/** Why what a server lists is not shown, and the setting that shows it (docs/config.md). */
export function notShownReason(collection: ResourceCollection, count: number): string {
  const [one, many] = things[collection];
  return (
    `its ${count} ${count === 1 ? one : many} not shown, because it does not declare resources.subscribe; ` +
    '"a2c": {"participation": "resources"} in its config, or at the top of the file, shows them'
  );
}
