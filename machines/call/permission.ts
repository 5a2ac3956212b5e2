/**
 * Permission of a call by our own rule, which decides from the tool's name and the server's hints whether a
 * confirmation is needed.
 */
import type { ToolAnnotations } from '../catalog/entries.ts';
import type { ToolMeta } from '../catalog/tool.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Verbs of reading in tool names. Nouns are excluded, because any action on a `status` or a `history` would then
 * count as reading.
 */
export const readWords = words(`
  read list get show view fetch search find query
  browse cat count describe diff exists explain glob grep inspect lookup ls peek preview retrieve stat
`);

/**
 * Verbs of writing in tool names; they override verbs of reading in the same name. Names with neither count as writes
 * anyway, so only words that can occur beside a reading verb matter (`get_or_create`). Nouns common in reading names
 * are left out: `get_commit`, `list_pull_requests`, `get_issue`.
 */
export const writeWords = words(`
  write create update delete modify edit remove add insert save execute run call move copy mkdir rmdir
  abort accept activate alter append apply approve archive assign attach ban bump buy cancel change charge chmod
  chown clean cleanup clear click clone close configure cp deactivate decrement del deploy destroy detach disable
  disconnect discard dismiss download drag drop empty enable erase eval evaluate exec export fill flush forward
  generate grant import increment install invite invoke join kill launch leave lock make mark merge migrate mount mv
  navigate notify overwrite patch pay persist post prepend press prune publish purchase purge push put reboot rebase
  refund register reject rename reorder replace reply reset resize resolve respond restart restore revert revoke rm
  rollback schedule seed sell send set share shell shuffle shutdown spawn squash start stop store submit subscribe
  swap sync terminate toggle touch transfer trigger truncate unarchive unassign uninstall unlink unlock unmark
  unmount unregister unshare unsubscribe upload upsert vote wipe
`);

type Access = 'read' | 'write';

/** Pattern that reads `HTMLParser` as HTML and Parser. */
const capitalFirst = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** Pattern that reads `DELETEall` as DELETE and all. */
const capitalsTogether = /[A-Z]{2,}|[A-Z]?[a-z]+/g;

/**
 * Splits a tool name into words, at every character that is no ASCII letter and at capitals. When a run of capitals
 * can be read in two ways, the words of both are returned, so that no verb of writing stays hidden.
 */
export const wordsOf = (name: string): readonly string[] => {
  const found = [...name.matchAll(capitalFirst), ...name.matchAll(capitalsTogether)];
  return [...new Set(found.map(([word]) => word.toLowerCase()))];
};

/**
 * Classifies a tool as read or write by whole words of its original name (deepchat-mcpv §A.6, cases 36–39): a verb of
 * writing overrides one of reading, and a name with neither is a write. Annotations are untrusted hints, so they can
 * turn a read into a write, never the reverse.
 */
export const accessOf = (tool: string, annotations: ToolAnnotations | null = null): Access => {
  const found = wordsOf(tool);
  const looks = found.some((word) => readWords.has(word)) && !found.some((word) => writeWords.has(word));
  const isHarmless = annotations?.readOnlyHint !== false && annotations?.destructiveHint !== true;
  return looks && isHarmless ? 'read' : 'write';
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
  /** Groups (`all`, `read`, `write`) and original names of tools that run without confirmation. */
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

/**
 * Permission rule of ours; it never denies. The most specific setting counts: `auto_apply` in the tool's metadata
 * either way (a2c-wire §3.6), then the tool's name in `auto_approve`, then the groups. `write` does not include
 * `read` (deepchat-mcpv case 34).
 */
export const permission = (request: PermissionRequest): Ruling => {
  const { tool, annotations, meta, autoApprove } = request;
  if (meta?.auto_apply === true) return { decision: 'allow', reason: 'auto_apply is true' };
  if (meta?.auto_apply === false) return { decision: 'ask', reason: 'auto_apply is false' };
  if (autoApprove.includes(tool)) return { decision: 'allow', reason: 'auto_approve names this tool' };
  if (autoApprove.includes('all')) return { decision: 'allow', reason: 'auto_approve has all' };
  const access = accessOf(tool, annotations);
  return autoApprove.includes(access)
    ? { decision: 'allow', reason: `auto_approve has ${access}, and this tool counts as ${access}` }
    : { decision: 'ask', reason: `nothing approves it beforehand; it counts as ${access}` };
};

const isDecision = (said: unknown): said is Decision => said === 'allow' || said === 'ask' || said === 'deny';

/**
 * Reads the return value of a host's permission rule. Any value that is no decision denies, because a broken rule
 * must not permit anything.
 */
export const rulingOf = (said: unknown): Ruling => {
  if (isDecision(said)) return { decision: said, reason: `the host's rule says ${said}` };
  const { decision, reason } = (said ?? {}) as { readonly decision?: unknown; readonly reason?: unknown };
  if (!isDecision(decision)) return { decision: 'deny', reason: "the host's rule gave no decision" };
  const isTold = typeof reason === 'string' && reason !== '';
  return { decision, reason: isTold ? reason : `the host's rule says ${decision}` };
};
