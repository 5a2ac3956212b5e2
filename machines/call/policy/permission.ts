/** Our own rule decides from the tool's name and the server's hints whether a confirmation is needed. */
import type { ToolAnnotations } from '../../catalog/entries.ts';
import { type ToolMeta } from '../../catalog/tool.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Verbs of reading in tool names. `query` and `open` are none: they may change something. */
export const readWords = words(`
  read list get show view fetch search find
  browse cat count describe diff exists explain glob grep inspect lookup ls peek preview retrieve stat
`);
/** Words that name an action are left out, or stand in the plural only (`orders`): `get_book_flight` books. */
export const plainWords = words(`
  about account active activity addresses age album alerts all allowed an analysis analytics annotated annotation any
  api app application are area article artist asset attachment attribute author available avatar balance bases basic
  blocks books branches brave browser bucket by byte calendar calls capability category cell changes channel chapter
  character chart chat child children city class cluster code collection column comments commit company complex
  component config configuration confluence connection console contacts content coordinate country coupons csv
  currency current customer cycles dashboard data database dataframe dataset datasource date day def default
  definition dependency deployment description detail device diagnostic dictionary dimension dir directions directory
  disputes distance dns doc document documentation domain duration element elevation emails employee entity entry env
  environment error event example exception expression feature feed field figma file first folder for forecast formats
  free friend from full function github gitlab global google graph group guide has header health help history hostname
  hour html icon id identity image in incident info information input instance integration intent interface inventory
  invitation invoices ip is issue item jira job json key keyword labels language last latest layer layout level
  library license line links local location logs loki machine manifest mapping maps markdown match matching me
  media meeting member membership memory menu messages metadata method metric migration milestone minute mode model
  module month more multiple my name namespace network new next node note notification notion number object
  observation of on oncall option orders organization output overview owner package page paper parameter parent
  participant path payment pdf peer performance periodic permission person php pipelines places plan player playlist
  pod point policy position posts preference previous prices private problem processes product profile project
  prometheus prompt property provider public queues random rating raw reaction recent recipe record reference refunds
  region related relation relationship releases replies repo reports repository requests resource response result
  reviews role root row rule schema score screen screenshot section self sentence server session setting sheet similar
  single site size slack slide snippet song source space specification spreadsheet sprint state statistic stats status
  stocks story stripe structure structured style subject subscription suggestion sum summary symbol system tab table
  tags task team temperature template text the theme thread ticker time timeline timezone tiny to tool topic total
  trace transaction transcript transitions translation tree trend tweets uid unread uri url usage user value variable
  vault version video viewer warning weather web website week widget wiki window with word workbook workflow workspace
  xml yaml year zone
`);

type Access = 'read' | 'write';
/** Groups of tools that `auto_approve` may name; everything else is the name of a tool. */
export const approvalGroups = ['all', 'readOnlyHint', 'read', 'write'] as const;
type ApprovalGroup = (typeof approvalGroups)[number];
/** Without the names of groups. */
export const toolsAlone = (value: unknown): readonly string[] =>
  (value as readonly string[]).filter((name) => !(approvalGroups as readonly string[]).includes(name));

/** Splits a tool name into words, at every character that is no ASCII letter and at capitals. */
export const wordsOf = (name: string): readonly string[] => [
  ...new Set([...name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map(([word]) => word.toLowerCase())),
];
const isPlainWord = (word: string): boolean =>
  word.length === 1 ||
  readWords.has(word) ||
  [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')].some((one) =>
    plainWords.has(one),
  );
/** Matches a noun of GitHub that has two words of action. */
const pullRequest = /pull[_-]?request/i;

/** An unknown word makes it a write. Annotations are untrusted: they never turn a write into a read. */
export const accessOf = (tool: string, annotations: ToolAnnotations | null = null): Access => {
  const found = wordsOf(tool.replace(pullRequest, 'item'));
  const isAscii = /^[\x20-\x7e]*$/.test(tool);
  const reads = isAscii && found.some((word) => readWords.has(word)) && found.every(isPlainWord);
  const isHarmless = annotations?.readOnlyHint !== false && annotations?.destructiveHint !== true;
  return reads && isHarmless ? 'read' : 'write';
};

/** Question to a permission rule before a tool runs; the tool is known and not forbidden. */
export interface PermissionRequest {
  /** Id that the caller gave the call. */
  readonly reqId: string;
  /** Name of the agent that makes the call, as its office knows it; null for the host of this computer. */
  readonly agent: string | null;
  /** Context that the host gave the call; absent for calls of agents, and when the host gave none. */
  readonly context?: unknown;
  /** Name of the server in the config. */
  readonly server: string;
  /** Name that the server gave the tool; aliases and prefixes would say nothing about what it does. */
  readonly tool: string;
  /** Arguments as the caller gave them; they match the schema of the tool. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Hints of the server about the effects of the tool; untrusted. */
  readonly annotations: ToolAnnotations | null;
  /** Metadata of the tool, merged over the default of its server (`mergeMeta`). */
  readonly meta: ToolMeta | null;
  /** Groups (`all`, `read`, `write`, `readOnlyHint`) and original names of tools that run without confirmation. */
  readonly autoApprove: readonly string[];
}
/**
 * Decision about a call. `ask`: a person must confirm it first. `deny`: the call does not run, and no person is
 * asked.
 */
export type Decision = 'allow' | 'ask' | 'deny';
/** Decision about a call, with its reason. */
export interface Ruling {
  /** Decision: the call runs, needs a confirmation, or is refused (`NotPermitted`). */
  readonly decision: Decision;
  /** Reason in one sentence for a person, without any of the arguments. */
  readonly reason: string;
}
/** Permission rule that a host sets in place of ours; returns a decision or a ruling, directly or as a promise. */
export type Permission = (request: PermissionRequest) => Decision | Ruling | Promise<Decision | Ruling>;

/** Never denies; the most specific counts (a2c-wire §3.6). `write` lacks `read` (deepchat-mcpv case 34). */
export const permission = (request: PermissionRequest): Ruling => {
  const { tool, annotations, meta, autoApprove } = request;
  if (meta?.auto_apply === true) return { decision: 'allow', reason: 'auto_apply is true' };
  if (meta?.auto_apply === false) return { decision: 'ask', reason: 'auto_apply is false' };
  if (autoApprove.includes(tool)) return { decision: 'allow', reason: 'auto_approve names this tool' };
  const approves = (group: ApprovalGroup): boolean => autoApprove.includes(group);
  if (approves('all')) return { decision: 'allow', reason: 'auto_approve has all' };
  const { readOnlyHint = false, destructiveHint = false } = annotations ?? {};
  if (approves('readOnlyHint') && readOnlyHint && !destructiveHint)
    return { decision: 'allow', reason: 'auto_approve has readOnlyHint, and the server marks this tool so' };
  const access = accessOf(tool, annotations);
  return approves(access)
    ? { decision: 'allow', reason: `auto_approve has ${access}, and this tool counts as ${access}` }
    : { decision: 'ask', reason: `nothing approves it beforehand; it counts as ${access}` };
};

const isDecision = (said: unknown): said is Decision => said === 'allow' || said === 'ask' || said === 'deny';

/** Any value that is no decision denies, because a broken rule must not permit anything. */
export const rulingOf = (said: unknown): Ruling => {
  if (isDecision(said)) return { decision: said, reason: `the host's rule says ${said}` };
  const { decision, reason } = (said ?? {}) as { readonly decision?: unknown; readonly reason?: unknown };
  if (!isDecision(decision)) return { decision: 'deny', reason: "the host's rule gave no decision" };
  const isTold = typeof reason === 'string' && reason !== '';
  return { decision, reason: isTold ? reason : `the host's rule says ${decision}` };
};
