/** Our own rule decides from the tool's name and the server's hints whether a confirmation is needed. */
import type { Hand } from '../../blobs/hand.ts';
import {
  asText,
  digitsBelow,
  roundedArguments,
  withNumbers,
  type Digits,
  givenAsText,
  withDigits,
  ownMember,
  isObject,
  type Fields,
} from '../../protocol/json.ts';
import type { JsonObject, Tool, ToolAnnotations } from '../../catalog/entries.ts';
import { metaForAgents, type ToolMeta } from '../../catalog/tool.ts';
import type { Emit, Ports, RequestFact } from '../../kernel/ports.ts';
import { wireCodes } from '../../protocol/failure.ts';
import type { CallPolicy, Judgement } from './policy.ts';
import { rememberedLast } from '../../kernel/objects.ts';
import { toolResult, type CallToolResult } from '../../protocol/tool-result.ts';
import { excessOf, truncateTo } from './truncate.ts';

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
      // Gives the host a copy, so that it cannot change the arguments that were validated.
      const said: unknown = permission(from)(
        permissionRequest(known, { ...call, params: copiedAsJson(call.params) }),
      );
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
/** No callback can change the original then. A value that is no JSON is returned unchanged. */
export function copiedAsJson<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return value;
  }
}

interface FinishRequest extends JudgedCall {
  readonly result: unknown;
  /** Name under which the host keeps the full result when it is too large to be passed on; null when it fits. */
  readonly keepAs: string | null;
  /** True when the tool reported a failure; its result is neither validated nor transformed. */
  readonly isError: boolean;
  /** Integers in the result that are kept as text; for the schema check they are turned back into numbers. */
  readonly digits?: readonly Digits[];
  /** Address of the link of the asking agent; present when the result has large contents, which may be sent as handles. */
  readonly asker?: string;
}
export interface FinishOptions {
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  readonly hasProgram: (server: string) => boolean;
  readonly transform: Ports['request'];
  readonly keep: (handle: string, result: unknown) => void;
  readonly hand: Hand;
}

const structuredIn = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'structuredContent' in result
    ? result.structuredContent
    : undefined;

/** An unusable schema becomes a warning. */
function held(options: FinishOptions, from: string, request: FinishRequest): Finding {
  const { server, tool, result } = request;
  const schema = toolIn(options.knownTo(from), server, tool)?.outputSchema;
  if (!schema || request.isError) return nothingFound;
  const value = withNumbers(structuredIn(result), digitsBelow(request.digits ?? [])('structuredContent'));
  if (value === undefined) return { ...nothingFound, mismatch: ['structuredContent is missing'] };
  const validated = options.validate(schema, value);
  if (validated.ok === false) return { ...nothingFound, mismatch: validated.problems };
  const why = unusedIn(validated);
  return why === undefined
    ? nothingFound
    : { ...nothingFound, warnings: [`The output schema was not used${why}`] };
}

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

export interface Finding {
  readonly mismatch: readonly string[];
  /** Result after the VRL program of the server, as JSON text; null when no program ran. */
  readonly transformed: string | null;
  readonly warnings: readonly string[];
  /** Items of the result with handles in place of large contents; absent when all contents are in it. */
  readonly content?: readonly unknown[];
}
export const nothingFound: Finding = { mismatch: [], transformed: null, warnings: [] };

const readOnce = rememberedLast<object, CallToolResult>(toolResult);
/** Reads the result of a server of any make; integers that a number cannot hold become text. */
export const readResult = (raw: unknown, digits?: readonly Digits[]): CallToolResult => {
  const exact = digits ? withDigits(raw, digits) : raw;
  return typeof exact === 'object' && exact !== null ? readOnce(exact) : toolResult(exact);
};
export const isRefusedByTool = (result: unknown): boolean => isObject(result) && result['isError'] === true;
/** A copy. The server's `_meta` moves there too, because readers that know both names only read `_meta`. */
export function withMeta(result: unknown, more: Fields): unknown {
  if (!isObject(result) || Object.keys(more).length === 0) return result;
  const { _meta, meta, ...rest } = result;
  return { ...rest, meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta), ...more } };
}

export const handleOf = (c: { readonly server: string; readonly reqId: string }): string =>
  `${c.server}/${c.reqId}`;

interface Called {
  readonly server: string;
  readonly reqId: string;
  readonly policy: CallPolicy | null;
  readonly digits?: readonly Digits[];
}
export const isOverBudget = ({ policy }: Called, result: unknown): boolean =>
  policy !== null && policy.resultBytes > 0 && excessOf(result, policy.resultBytes) !== undefined;

/** Adds the metadata of the tool to a result (a2c-wire §3.6), so that VRL programs see it too. */
export const withToolMeta = (
  { policy }: Pick<Called, 'policy'>,
  result: unknown,
  digits?: readonly Digits[],
): unknown =>
  withMeta(result, {
    ...(policy?.meta && !isRefusedByTool(result) && { a2c_tool_meta: metaForAgents(policy.meta) }),
    ...(digits && { a2c_warnings: givenAsText(digits) }),
  });

const tooLarge = 'What the program of its server made of it is too large to be given';
export function finalResult(call: Called, given: unknown, finding: Finding): unknown {
  const { policy } = call;
  if (!policy) return given;
  const { mismatch, transformed, content } = finding;
  const result = content && isObject(given) ? { ...given, content } : given;
  const warnings = [...givenAsText(call.digits ?? []), ...finding.warnings];
  const beside = (made: string | null, said: readonly string[]): unknown =>
    withMeta(result, {
      ...(made !== null && { a2c_vrl_transformed: made }),
      ...(mismatch.length > 0 && { a2c_output_mismatch: mismatch }),
      ...(said.length > 0 && { a2c_warnings: said }),
    });
  const whole = beside(transformed, warnings);
  if (!isOverBudget(call, whole)) return whole;
  if (isOverBudget(call, result)) return truncateTo(whole, policy.resultBytes, handleOf(call));
  // Drops the findings when only they make the result too large; the result itself is complete, so no copy is kept.
  const smaller = beside(null, transformed === null ? warnings : [...warnings, tooLarge]);
  return isOverBudget(call, smaller) ? result : smaller;
}

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
  if (autoApprove.includes('all')) return { decision: 'allow', reason: 'auto_approve has all' };
  const { readOnlyHint = false, destructiveHint = false } = annotations ?? {};
  if (autoApprove.includes('readOnlyHint') && readOnlyHint && !destructiveHint)
    return { decision: 'allow', reason: 'auto_approve has readOnlyHint, and the server marks this tool so' };
  const access = accessOf(tool, annotations);
  return autoApprove.includes(access)
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
