/** Judges a call before it is sent: its arguments, and whether it is permitted (our rule, or the host's). */
import { asText, roundedArguments, ownMember } from '../../protocol/json.ts';
import type { JsonObject, Tool } from '../../catalog/entries.ts';
import { type ToolMeta } from '../../catalog/tool.ts';
import type { Emit, RequestFact, RequestPort } from '../../kernel/ports.ts';
import { wireCodes } from '../../protocol/failure.ts';
import { textOf } from '../../text.ts';
import type { Judgement } from './policy.ts';
import { permission, rulingOf, type Permission, type PermissionRequest } from './permission.ts';

export interface KnownTools {
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly servers: readonly {
    readonly rules: { readonly server: string; readonly autoApprove?: readonly string[] };
  }[];
}
export interface JudgedCall {
  readonly reqId: string;
  readonly agent: string | null;
  readonly server: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: ToolMeta | null;
}

/** Index of each tool list by name, cached because every call of a server searches the same list. */
const byName = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();
export function toolIn(known: KnownTools | undefined, server: string, tool: string): Tool | undefined {
  const list = known && ownMember(known.catalogs, server);
  if (!list) return undefined;
  const named = byName.get(list) ?? new Map(list.toReversed().map((entry) => [entry.name, entry]));
  byName.set(list, named);
  return named.get(tool);
}
function problemsOf(
  { validate, knownTo, noted }: Knowing,
  from: string,
  call: JudgedCall,
): readonly string[] {
  const tool = toolIn(knownTo(from), call.server, call.tool);
  const rounded = roundedArguments(call.params, tool?.inputSchema).map((problem) => `${problem}. ${asText}`);
  if (!tool) return rounded;
  const validated = validate(tool.inputSchema, call.params);
  const why = unusedIn(validated);
  if (why !== undefined) noted?.(call.server, tool, `The input schema of '${tool.name}' was not used${why}`);
  return [...(validated.ok === false ? validated.problems : []), ...rounded];
}
export const permissionRequest = (known: KnownTools | undefined, call: JudgedCall): PermissionRequest => ({
  reqId: call.reqId,
  agent: call.agent,
  server: call.server,
  tool: call.tool,
  arguments: call.params,
  annotations: toolIn(known, call.server, call.tool)?.annotations ?? null,
  meta: call.meta,
  autoApprove: known?.servers.find((s) => s.rules.server === call.server)?.rules.autoApprove ?? [],
});

interface Knowing {
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  readonly noted?: (server: string, tool: Tool, text: string) => void;
}
const wrong = (problems: readonly string[]): Judgement => ({
  problems,
  decision: 'deny',
  reason: 'its arguments are wrong',
});
/** Arguments first, so that neither a rule nor a person is asked about a call that is invalid anyway. */
export const ownRuleJudge =
  (knowing: Knowing) =>
  (from: string, call: JudgedCall): Judgement => {
    const problems = problemsOf(knowing, from, call);
    return problems.length > 0
      ? wrong(problems)
      : { problems, ...rulingOf(permission(permissionRequest(knowing.knownTo(from), call))) };
  };

export interface JudgeOptions extends Knowing {
  readonly permission: (call: string) => Permission;
}
/** Tells whether a value is a promise of any library, by the same test as `await`. */
const isLater = (said: unknown): said is PromiseLike<unknown> =>
  ((typeof said === 'object' && said !== null) || typeof said === 'function') &&
  'then' in said &&
  typeof said.then === 'function';
export const judgeAsk =
  ({ permission, ...knowing }: JudgeOptions): RequestPort =>
  (from, { id, params }, emit: Emit<RequestFact>) => {
    const call = params as JudgedCall;
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
      // Gives the host a copy, so that it cannot change the arguments that were validated.
      const request = permissionRequest(known, { ...call, params: copiedAsJson(call.params) });
      const said: unknown = permission(from)(request);
      if (isLater(said)) Promise.resolve(said).then(unlessOver(say)).catch(unlessOver(fail));
      else say(said);
    } catch (error) {
      fail(error);
    }
    return () => (isOver = true);
  };

export type Validity =
  /** Valid. `unused`: a sentence about a part of the schema that could not be applied. */
  | { readonly ok: true; readonly unused?: string }
  /** Invalid: at most five lines, `path: what is wrong`; they contain no values, because those may be secret. */
  | { readonly ok: false; readonly problems: readonly string[] }
  /** Unchecked: the schema is unusable, or the check takes too long; `reason` is a sentence about the schema. */
  | { readonly ok: 'unchecked'; readonly reason: string };
/** Never throws, for any input. Equal schemas must be the same object, for caching. */
export type Validate = (schema: JsonObject, value: unknown) => Validity;

/** As the end of a sentence; undefined when the schema was applied completely. */
export function unusedIn(validity: Validity): string | undefined {
  if (validity.ok === 'unchecked') return `: ${validity.reason}`;
  return validity.ok && validity.unused !== undefined ? ` as a whole: ${validity.unused}` : undefined;
}

/** No callback can change the original then. A value that is no JSON is returned unchanged. */
export function copiedAsJson<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return value;
  }
}
