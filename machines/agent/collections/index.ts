/** What of a computer an agent follows: how each is asked for, and what an answer is. */
import { desktop, type DesktopSeen } from './desktop.ts';
import { finder, type FinderSeen } from './finder.ts';
import type { Collection, ViewRules } from './collection.ts';
import { tools } from './tools.ts';
import type { SmcpTool } from '../../protocol/messages/tool.ts';

export type { DesktopSeen } from './desktop.ts';
export { restless, type FinderSeen } from './finder.ts';
export type { Gathered, Reading, Collection, ViewRules } from './collection.ts';

export interface CollectionValues {
  readonly tools: readonly SmcpTool[];
  readonly desktop: DesktopSeen;
  readonly finder: FinderSeen;
}
export const collections: { readonly [S in Collection]: ViewRules<CollectionValues[S]> } = {
  tools,
  desktop,
  finder,
};
