import type { ToolAnnotations, ToolMeta } from '../../catalog/index.ts';
import { accessOf } from './access.ts';

/** What is asked before a tool runs: a call whose tool is known and not forbidden. */
export interface PermissionRequest {
  /** Its name in the config. */
  readonly server: string;
  /** The name that its server gave it; an alias or a prefix says nothing about what it does. */
  readonly tool: string;
  /** As the caller gave them; they fit the schema of the tool. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What its server says that the tool does: hints of a stranger, no promise. */
  readonly annotations: ToolAnnotations | null;
  /** That of the tool over the default of its server, as `mergeMeta` has them. */
  readonly meta: ToolMeta | null;
  /** Groups (`all`, `read`, `write`) and original names of tools. */
  readonly autoApprove: readonly string[];
}
/** `ask`: a person confirms it first. `deny`: it does not run, and nobody is asked. */
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

/** What a host's rule said. Whatever is no decision denies: a broken rule must permit nothing. */
export const rulingOf = (said: unknown): Ruling => {
  if (isDecision(said)) return { decision: said, reason: `the host's rule says ${said}` };
  const { decision, reason } = (said ?? {}) as { readonly decision?: unknown; readonly reason?: unknown };
  if (!isDecision(decision)) return { decision: 'deny', reason: "the host's rule gave no decision" };
  const isTold = typeof reason === 'string' && reason !== '';
  return { decision, reason: isTold ? reason : `the host's rule says ${decision}` };
};
