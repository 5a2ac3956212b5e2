/** What of a computer an agent follows: how each is asked for, and what an answer is. */
import { desktop, type DesktopSeen } from './desktop.ts';
import { finder, type FinderSeen } from './finder.ts';
import type { Subject, SubjectRules } from './subject.ts';
import { tools } from './tools.ts';
import type { SmcpTool } from '../../protocol/messages/tool.ts';

export type { DesktopSeen } from './desktop.ts';
export { restless, type FinderSeen } from './finder.ts';
export type { Gathered, Reading, Subject, SubjectRules } from './subject.ts';

export interface SubjectValues {
  readonly tools: readonly SmcpTool[];
  readonly desktop: DesktopSeen;
  readonly finder: FinderSeen;
}
export const subjects: { readonly [S in Subject]: SubjectRules<SubjectValues[S]> } = {
  tools,
  desktop,
  finder,
};
