/** Permission of a call by our own rule: what runs without a question, by the name of the tool and what its server says of it. */
import type { ToolAnnotations } from '../catalog/entries.ts';
import type { ToolMeta } from '../catalog/tool.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Verbs of looking. No nouns: whatever is done to a `status` or a `history` would count as reading. */
export const readWords = words(`
  read list get show view fetch search find query
  browse cat count describe diff exists explain glob grep inspect lookup ls peek preview retrieve stat
`);

/**
 * Verbs of changing, which win over those of looking in one name. A name with neither is a write anyway, so that
 * what stands here is what a name of reading could hold besides (`get_or_create`). Nouns that go with reading every
 * day are left out: `get_commit`, `list_pull_requests`, `get_issue`.
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

/** `HTMLParser` is HTML and Parser. */
const capitalFirst = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** `DELETEall` is DELETE and all. */
const capitalsTogether = /[A-Z]{2,}|[A-Z]?[a-z]+/g;

/**
 * The words of a name: it is taken apart at every character that is no ASCII letter, and at capitals. Where a run of
 * capitals can be read in two ways, both are given: a word of writing must not hide in the other one.
 */
export const wordsOf = (name: string): readonly string[] => {
  const found = [...name.matchAll(capitalFirst), ...name.matchAll(capitalsTogether)];
  return [...new Set(found.map(([word]) => word.toLowerCase()))];
};

/**
 * Whether a tool only looks, as far as its original name says (deepchat-mcpv §A.6, cases 36–39): by whole words, a
 * word of writing wins over one of reading, and a name with neither is a write. Annotations are hints of a stranger:
 * they make a read a write, never the other way round.
 */
export const accessOf = (tool: string, annotations: ToolAnnotations | null = null): Access => {
  const found = wordsOf(tool);
  const looks = found.some((word) => readWords.has(word)) && !found.some((word) => writeWords.has(word));
  const isHarmless = annotations?.readOnlyHint !== false && annotations?.destructiveHint !== true;
  return looks && isHarmless ? 'read' : 'write';
};

/** Question before a tool runs: a call whose tool is known and not forbidden. */
export interface PermissionRequest {
  /** Name of the server in the config. */
  readonly server: string;
  /** The name that its server gave it; an alias or a prefix says nothing about what it does. */
  readonly tool: string;
  /** Arguments as the caller gave them; they fit the schema of the tool. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Hints of the server about what the tool does: those of a stranger, no promise. */
  readonly annotations: ToolAnnotations | null;
  /** That of the tool over the default of its server, as `mergeMeta` has them. */
  readonly meta: ToolMeta | null;
  /** Groups (`all`, `read`, `write`) and original names of tools. */
  readonly autoApprove: readonly string[];
}
/** Ruling on a call. `ask`: a person confirms it first. `deny`: it does not run, and no person is asked. */
export type Decision = 'allow' | 'ask' | 'deny';
/** A decision, and why. */
export interface Ruling {
  /** Whether the call runs, is asked about, or is refused (`NotPermitted`). */
  readonly decision: Decision;
  /** One sentence for a person, without any of the arguments. */
  readonly reason: string;
}
/** The rule of a host in the place of ours: a word or a ruling, at once or later. */
export type Permission = (request: PermissionRequest) => Decision | Ruling | Promise<Decision | Ruling>;

/**
 * Our rule; it never denies. The most specific word counts: `auto_apply` of the tool's meta either way (a2c-wire §3.6),
 * then its name in `auto_approve`, then the groups. `write` does not hold `read` (deepchat-mcpv case 34).
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

/** Ruling from what the rule of a host gave. A value that is no decision denies: a broken rule must permit nothing. */
export const rulingOf = (said: unknown): Ruling => {
  if (isDecision(said)) return { decision: said, reason: `the host's rule says ${said}` };
  const { decision, reason } = (said ?? {}) as { readonly decision?: unknown; readonly reason?: unknown };
  if (!isDecision(decision)) return { decision: 'deny', reason: "the host's rule gave no decision" };
  const isTold = typeof reason === 'string' && reason !== '';
  return { decision, reason: isTold ? reason : `the host's rule says ${decision}` };
};
