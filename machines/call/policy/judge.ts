/** Ports `policy` and `finish`: check a call before it is sent, and its result afterwards. */
import type { Hand } from '../../blobs/hand.ts';
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

export interface KnownTools {
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly servers: readonly {
    readonly rules: { readonly server: string; readonly autoApprove?: readonly string[] };
  }[];
}
/** Question of the machine of a call to the ports `policy` and `finish`. */
export interface JudgedCall {
  readonly reqId: string;
  /** Name of the agent; null when the computer's own host calls. */
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
/** Returns the problems of the arguments: violations of the schema, and integers that may have lost digits. */
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
  /** Returns the data of the computer that a call belongs to, by the address of the call. */
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  /** Called with each call to report that the input schema could not be used, or only in part. */
  readonly noted?: (server: string, tool: Tool, text: string) => void;
}
const wrong = (problems: readonly string[]): Judgement => ({
  problems,
  decision: 'deny',
  reason: 'its arguments are wrong',
});
/**
 * Port `judge`: applies our own rule synchronously. Arguments are checked first, so that neither a rule nor a person
 * is asked about a call that is invalid anyway.
 */
export const judged =
  (knowing: Knowing) =>
  (from: string, call: JudgedCall): Judgement => {
    const problems = problemsOf(knowing, from, call);
    return problems.length > 0
      ? wrong(problems)
      : { problems, ...rulingOf(ours(permissionRequest(knowing.knownTo(from), call))) };
  };

export interface JudgeOptions extends Knowing {
  /** Returns the rule for the call at an address. */
  readonly permission: (call: string) => Permission;
}
/** Tells whether a value is a promise of any library, by the same test as `await`. */
const isLater = (said: unknown): said is PromiseLike<unknown> =>
  ((typeof said === 'object' && said !== null) || typeof said === 'function') &&
  'then' in said &&
  typeof said.then === 'function';
/** Port `policy`: asks the rule of a host, which may take time. */
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
      // The host receives a copy, so that the validated arguments are those that are sent.
      const said: unknown = permission(from)(
        permissionRequest(known, { ...call, params: handed(call.params) }),
      );
      if (isLater(said)) Promise.resolve(said).then(unlessOver(say)).catch(unlessOver(fail));
      else say(said);
    } catch (error) {
      fail(error);
    }
    return () => (isOver = true);
  };

/** Result of validating a value against a JSON Schema. */
export type Validity =
  /** Valid. `unused`: a sentence about a part of the schema that could not be applied. */
  | { readonly ok: true; readonly unused?: string }
  /** Invalid: at most five lines, `path: what is wrong`; they contain no values, because those may be secret. */
  | { readonly ok: false; readonly problems: readonly string[] }
  /** Unchecked: the schema is unusable, or the check takes too long; `reason` is a sentence about the schema. */
  | { readonly ok: 'unchecked'; readonly reason: string };
/**
 * Port `validate`: checks a value synchronously and never throws, for any input. Equal schemas must be the same
 * object, for caching. Calls reach it through the ports `policy` and `finish`, which know the schema of each tool.
 */
export type Validate = (schema: JsonObject, value: unknown) => Validity;

/**
 * Describes, as the end of a sentence, how far a schema could not be applied; undefined when it was applied
 * completely.
 */
function unusedIn(validity: Validity): string | undefined {
  if (validity.ok === 'unchecked') return `: ${validity.reason}`;
  return validity.ok && validity.unused !== undefined ? ` as a whole: ${validity.unused}` : undefined;
}

/** Converts any thrown value to text, even one that cannot be converted. */
export const textOf = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return 'with something that has no text';
  }
};
/**
 * Copies a value through JSON, as its receiver will read it, so that no callback can change the original. A value
 * that is no JSON is returned unchanged.
 */
export function handed<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return value;
  }
}

/** Question of the machine of a call to the port `finish`. */
export interface FinishRequest extends JudgedCall {
  readonly result: unknown;
  /** Name under which the host keeps the full result when it is too large to be passed on; null when it fits. */
  readonly keepAs: string | null;
  /** Tells that the tool reported a failure; its result is neither validated nor transformed. */
  readonly isError: boolean;
  /** Integers in the result that are kept as text; for the schema check they are turned back into numbers. */
  readonly digits?: readonly Digits[];
  /** Address of the link of the asking agent, when the result has contents that may be given by handles. */
  readonly asker?: string;
}
export interface FinishOptions {
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  readonly hasProgram: (server: string) => boolean;
  /** Runs the VRL program of the server; answers `{json}`, or refuses. */
  readonly transform: Ports['request'];
  readonly keep: (handle: string, result: unknown) => void;
  /** Gives large contents of a result by handles to the agent that asks. */
  readonly hand: Hand;
}

const structuredIn = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'structuredContent' in result
    ? result.structuredContent
    : undefined;

/** Checks `structuredContent` against the output schema of the tool; an unusable schema becomes a warning. */
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

/**
 * Port `finish`: keeps results that are too large, checks them against the output schema, and runs the VRL program of
 * the server.
 */
export const finishAsk =
  (options: FinishOptions): Ports['request'] =>
  (from, { id, target, params }, emit: Emit<RequestFact>) => {
    const request = params as FinishRequest;
    const { server, tool, result, keepAs, isError } = request;
    if (keepAs !== null) options.keep(keepAs, result);
    const found = held(options, from, request);
    const tell = (more: Partial<Finding>): void =>
      emit({ type: 'ask.answered', id, result: { ...found, ...more } satisfies Finding });
    const { agent, asker } = request;
    const say = (more: Partial<Finding>): void => {
      if (asker === undefined || agent === null) return tell(more);
      options.hand(from, { result, agent, asker }, (content) => tell(content ? { ...more, content } : more));
    };
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
