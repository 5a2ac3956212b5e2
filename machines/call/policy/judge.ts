import { asText, roundedArguments } from '../../protocol/exact-numbers.ts';
import type { Tool, ToolMeta } from '../../catalog/index.ts';
import {
  permission as ours,
  rulingOf,
  type Permission,
  type PermissionRequest,
} from '../permission/index.ts';
import type { RequestFact, Emit, Ports } from '../../kernel/ports.ts';
import { unusedIn, type Validate } from '../validation.ts';
import { wireCodes } from '../../protocol/failure.ts';
import { handed, textOf } from './host-values.ts';
import type { Judgement } from './policy.ts';
import { ownMember } from '../../protocol/json.ts';

/** Of a computer, what a call is judged by. */
export interface Known {
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly servers: readonly {
    readonly rules: { readonly server: string; readonly autoApprove?: readonly string[] };
  }[];
}
/** What the call machine asks the ports `policy` and `finish`. */
export interface CallRequest {
  readonly reqId: string;
  /** Null: the computer's own host calls. */
  readonly agent: string | null;
  readonly server: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: ToolMeta | null;
}

/** By list: one list is looked through by every call of its server. */
const byName = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();
export function toolIn(known: Known | undefined, server: string, tool: string): Tool | undefined {
  const list = known && ownMember(known.catalogs, server);
  if (!list) return undefined;
  const named = byName.get(list) ?? new Map(list.toReversed().map((entry) => [entry.name, entry]));
  byName.set(list, named);
  return named.get(tool);
}
/** Problems of the arguments: what breaks the schema, and integers that have perhaps lost digits on their way here. */
function problemsOf(
  { validate, knownTo, noted }: Knowing,
  from: string,
  call: CallRequest,
): readonly string[] {
  const tool = toolIn(knownTo(from), call.server, call.tool);
  const rounded = roundedArguments(call.params, tool?.inputSchema).map((problem) => `${problem}. ${asText}`);
  if (!tool) return rounded;
  const validated = validate(tool.inputSchema, call.params);
  const why = unusedIn(validated);
  if (why !== undefined) noted?.(call.server, tool, `The input schema of '${tool.name}' was not used${why}`);
  return [...(validated.ok === false ? validated.problems : []), ...rounded];
}
export const permissionRequest = (known: Known | undefined, call: CallRequest): PermissionRequest => ({
  server: call.server,
  tool: call.tool,
  arguments: call.params,
  annotations: toolIn(known, call.server, call.tool)?.annotations ?? null,
  meta: call.meta,
  autoApprove: known?.servers.find((s) => s.rules.server === call.server)?.rules.autoApprove ?? [],
});

interface Knowing {
  /** The computer whose call it is, by the address of that call. */
  readonly knownTo: (call: string) => Known | undefined;
  readonly validate: Validate;
  /** Hears with each call how far its arguments could not be judged. */
  readonly noted?: (server: string, tool: Tool, text: string) => void;
}
const wrong = (problems: readonly string[]): Judgement => ({
  problems,
  decision: 'deny',
  reason: 'its arguments are wrong',
});
/** The port `judge`: our own rule, at once. Arguments first; what is wrong in itself is put before nobody. */
export const judged =
  (knowing: Knowing) =>
  (from: string, call: CallRequest): Judgement => {
    const problems = problemsOf(knowing, from, call);
    return problems.length > 0
      ? wrong(problems)
      : { problems, ...rulingOf(ours(permissionRequest(knowing.knownTo(from), call))) };
  };

export interface JudgeOptions extends Knowing {
  readonly permission: () => Permission;
}
/** As `await` sees it: a promise of any library is one. */
const isLater = (said: unknown): said is PromiseLike<unknown> =>
  ((typeof said === 'object' && said !== null) || typeof said === 'function') &&
  'then' in said &&
  typeof said.then === 'function';
/** The port `policy`: the rule of a host, which may take its time. */
export const judgeAsk =
  ({ permission, ...knowing }: JudgeOptions): Ports['request'] =>
  (from, { id, params }, emit: Emit<RequestFact>) => {
    const call = params as CallRequest;
    const known = knowing.knownTo(from);
    const problems = problemsOf(knowing, from, call);
    const say = (said: unknown): void =>
      emit({ type: 'ask.answered', id, result: { problems, ...rulingOf(said) } satisfies Judgement });
    const fail = (error: unknown): void => {
      const message = `Error: Operation not permitted: the host's rule failed: ${textOf(error)}`;
      emit({ type: 'ask.refused', id, sent: false, failure: { code: wireCodes.notConfirmed, message } });
    };
    if (problems.length > 0) {
      emit({ type: 'ask.answered', id, result: wrong(problems) });
      return () => {};
    }
    let isOver = false;
    const unlessOver =
      (then: (said: unknown) => void) =>
      (said: unknown): void => {
        if (!isOver) then(said);
      };
    try {
      // It gets a copy, so that what was validated is what is sent.
      const said: unknown = permission()(permissionRequest(known, { ...call, params: handed(call.params) }));
      if (isLater(said)) Promise.resolve(said).then(unlessOver(say)).catch(unlessOver(fail));
      else say(said);
    } catch (error) {
      fail(error);
    }
    return () => (isOver = true);
  };
