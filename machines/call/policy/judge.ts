/** Looks at a call and at its result: the ports `policy` and `finish`. */
import {
  asText,
  digitsBelow,
  roundedArguments,
  withNumbers,
  type Digits,
} from '../../protocol/exact-numbers.ts';
import type { JsonObject, Tool } from '../../catalog/entries.ts';
import type { ToolMeta } from '../../catalog/tool.ts';
import { permission as ours, rulingOf, type Permission, type PermissionRequest } from '../permission.ts';
import type { Emit, Ports, RequestFact } from '../../kernel/ports.ts';
import { wireCodes } from '../../protocol/failure.ts';
import type { Judgement } from './policy.ts';
import { ownMember } from '../../protocol/json.ts';
import { nothingFound, type Finding } from './result.ts';

/** Facts about a computer that a call is judged by. */
export interface KnownTools {
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly servers: readonly {
    readonly rules: { readonly server: string; readonly autoApprove?: readonly string[] };
  }[];
}
/** Question of the call machine to the ports `policy` and `finish`. */
export interface JudgedCall {
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
export function toolIn(known: KnownTools | undefined, server: string, tool: string): Tool | undefined {
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
  server: call.server,
  tool: call.tool,
  arguments: call.params,
  annotations: toolIn(known, call.server, call.tool)?.annotations ?? null,
  meta: call.meta,
  autoApprove: known?.servers.find((s) => s.rules.server === call.server)?.rules.autoApprove ?? [],
});

interface Knowing {
  /** The computer whose call it is, by the address of that call. */
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  /** Hears with each call how far its arguments could not be judged. */
  readonly noted?: (server: string, tool: Tool, text: string) => void;
}
const wrong = (problems: readonly string[]): Judgement => ({
  problems,
  decision: 'deny',
  reason: 'its arguments are wrong',
});
/** Port `judge`: our own rule, at once. Arguments first: a call that is wrong in itself is put before no rule and no person. */
export const judged =
  (knowing: Knowing) =>
  (from: string, call: JudgedCall): Judgement => {
    const problems = problemsOf(knowing, from, call);
    return problems.length > 0
      ? wrong(problems)
      : { problems, ...rulingOf(ours(permissionRequest(knowing.knownTo(from), call))) };
  };

export interface JudgeOptions extends Knowing {
  readonly permission: () => Permission;
}
/** Whether a value is a promise, of any library, as `await` sees it. */
const isLater = (said: unknown): said is PromiseLike<unknown> =>
  ((typeof said === 'object' && said !== null) || typeof said === 'function') &&
  'then' in said &&
  typeof said.then === 'function';
/** The port `policy`: the rule of a host, which may take its time. */
export const judgeAsk =
  ({ permission, ...knowing }: JudgeOptions): Ports['request'] =>
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
      // The host gets a copy, so that what was validated is what is sent.
      const said: unknown = permission()(permissionRequest(known, { ...call, params: handed(call.params) }));
      if (isLater(said)) Promise.resolve(said).then(unlessOver(say)).catch(unlessOver(fail));
      else say(said);
    } catch (error) {
      fail(error);
    }
    return () => (isOver = true);
  };

/** Verdict of a JSON Schema on a value. */
export type Validity =
  /** `unused`: a sentence about a part of the schema that nothing was held against. */
  | { readonly ok: true; readonly unused?: string }
  /** Problems in at most five lines, `path: what is wrong`; none holds a value, for it may be a secret. */
  | { readonly ok: false; readonly problems: readonly string[] }
  /** The schema cannot be used, or judging takes too long; a sentence about the schema. Nothing is known of the value. */
  | { readonly ok: 'unchecked'; readonly reason: string };
/**
 * Port `validate`. At once, and whatever either of them is: never throws. The same schema is the same object. Calls
 * reach it by the ports `policy` and `finish`, which know the schema of each tool.
 */
export type Validate = (schema: JsonObject, value: unknown) => Validity;

/** How far a value was not held against a schema, as the end of a sentence; undefined: it was. */
function unusedIn(validity: Validity): string | undefined {
  if (validity.ok === 'unchecked') return `: ${validity.reason}`;
  return validity.ok && validity.unused !== undefined ? ` as a whole: ${validity.unused}` : undefined;
}

/** Whatever was thrown; a value without a text is one, too. */
export const textOf = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return 'with something that has no text';
  }
};
/** Copy of a value as its receiver will read it from JSON, which no callback can change. A value that is no JSON stays as it is. */
export function handed<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return value;
  }
}

/** Question of the call machine to the port `finish`. */
export interface FinishRequest extends JudgedCall {
  readonly result: unknown;
  /** Name under which the host keeps the whole of a result with more bytes than may be passed on. */
  readonly keepAs: string | null;
  /** The tool says that it failed: there is nothing to hold against a schema, and nothing to transform. */
  readonly isError: boolean;
  /** Integers that stand in the result as text: its schema is held against numbers. */
  readonly digits?: readonly Digits[];
}
export interface FinishOptions {
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  readonly hasProgram: (server: string) => boolean;
  /** Answers `{json}`, or refuses. */
  readonly transform: Ports['request'];
  readonly keep: (handle: string, result: unknown) => void;
}

const structuredIn = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'structuredContent' in result
    ? result.structuredContent
    : undefined;

/** How `structuredContent` differs from what the tool promised; a schema that cannot be used is a warning. */
function held(options: FinishOptions, from: string, request: FinishRequest): Finding {
  const { server, tool, result } = request;
  const schema = toolIn(options.knownTo(from), server, tool)?.outputSchema;
  if (!schema || request.isError) return nothingFound;
  const value = withNumbers(structuredIn(result), digitsBelow(request.digits ?? [], 'structuredContent'));
  if (value === undefined) return { ...nothingFound, mismatch: ['structuredContent is missing'] };
  const validated = options.validate(schema, value);
  if (validated.ok === false) return { ...nothingFound, mismatch: validated.problems };
  const why = unusedIn(validated);
  return why === undefined
    ? nothingFound
    : { ...nothingFound, warnings: [`The output schema was not used${why}`] };
}

/** The port `finish`: what is too large is kept, what was promised is checked, what is to be transformed is. */
export const finishAsk =
  (options: FinishOptions): Ports['request'] =>
  (from, { id, target, params }, emit: Emit<RequestFact>) => {
    const request = params as FinishRequest;
    const { server, tool, result, keepAs, isError } = request;
    if (keepAs !== null) options.keep(keepAs, result);
    const found = held(options, from, request);
    const say = (more: Partial<Finding>): void =>
      emit({ type: 'ask.answered', id, result: { ...found, ...more } satisfies Finding });
    if (isError || !options.hasProgram(server)) {
      say({});
      return () => {};
    }
    const asked = { server, tool, parameters: request.params, result };
    return options.transform(from, { id, target, method: 'vrl', params: asked }, (fact) => {
      if (fact.type === 'ask.answered') say({ transformed: (fact.result as { json: string }).json });
      else if (fact.type === 'ask.refused') say({ warnings: [...found.warnings, fact.failure.message] });
    });
  };
