import type { ComputerOptions, Confirm, ConfirmQuestion } from './computer-options.ts';
import type { Servers } from '../servers/servers.ts';
import { createCallLimiters } from '../../adapters/call-limiters.ts';
import { transformAsk, type Transformer } from '../../machines/call/transform.ts';
import { validate } from '../../adapters/schema/validate.ts';
import { textOf, asLine } from '../../machines/text.ts';
import { permission, type Permission } from '../../machines/call/policy/permission.ts';
import {
  requestLimited,
  defaultLimits,
  noLimits,
  type CallLimits,
} from '../../machines/call/policy/call-limiters.ts';
import { finishAsk } from '../../machines/call/policy/finish.ts';
import {
  judgeAsk,
  ownRuleJudge,
  type JudgedCall,
  type KnownTools,
  copiedAsJson,
  toolIn,
} from '../../machines/call/policy/judge.ts';
import {
  type Judgement,
  confirmationDenied,
  confirmationFailed,
  confirmationLate,
  confirmationMissing,
  notConfirmed,
  whyWithdrawn,
  type Confirmation,
} from '../../machines/call/policy/policy.ts';
import { resultBytes } from '../../machines/call/policy/truncate.ts';
import type { CallContext } from '../../machines/call/call.rules.ts';
import type { Hand } from '../../machines/blobs/hand.ts';
import type { Tool } from '../../machines/catalog/entries.ts';
import type { RequestFact, Emit, RequestPort } from '../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';

type PortRequest = Parameters<RequestPort>[1];
const unavailable: RequestPort = (_from, { id }, emit) => {
  const failure = { code: wireCodes.notSupported, message: 'There is no program' } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};

/** Warns once for each reason why VRL programs on results fail. Each call has the reason in its own warnings. */
function noticed(transform: RequestPort, notice: (text: string) => void): RequestPort {
  const told = new Set<string>();
  return (from, request, emit) =>
    transform(from, request, (fact) => {
      emit(fact);
      if (fact.type !== 'ask.refused' || told.has(fact.failure.message) || told.size === mostNoticed) return;
      told.add(fact.failure.message);
      notice(fact.failure.message);
    });
}
const mostNoticed = 100;

export class CallPorts {
  confirm: Confirm | undefined;
  permission: Permission = permission;
  limitsOf: (server: string) => CallLimits = () => defaultLimits;
  total: () => CallLimits = () => noLimits;
  hasProgram: (server: string) => boolean = () => false;
  transform: RequestPort = unavailable;
  contextOf: (call: string) => unknown = () => undefined;
  /** Gives large contents of results to agents as handles. */
  hand: Hand = (_from, _request, done) => done(null);
  readonly cached = new CachedResults();
  readonly #limiters = createCallLimiters({
    limitsOf: (server) => this.limitsOf(server),
    total: () => this.total(),
  });
  readonly #judge: (call: string, request: JudgedCall) => Judgement;
  readonly #ports: Readonly<Record<string, RequestPort>>;

  /** `memoryOf` reads also after the machine has ended; `noticed` comes once for each tool not fully judged. */
  constructor(memoryOf: (address: string) => () => unknown, noticed: (server: string, text: string) => void) {
    const told = new WeakSet<object>();
    const noted = (server: string, { inputSchema }: Tool, text: string): void => {
      if (told.has(inputSchema)) return;
      told.add(inputSchema);
      noticed(server, text);
    };
    /** The address of a call begins with that of its computer. */
    const knownTo = (call: string): KnownTools | undefined =>
      memoryOf(call.slice(0, call.indexOf('/')))() as KnownTools | undefined;
    this.#judge = ownRuleJudge({ knownTo, validate, noted });
    this.#ports = {
      policy: judgeAsk({
        knownTo,
        validate,
        noted,
        permission: (call) => (request) => this.permission({ ...request, ...this.#whose(call) }),
      }),
      confirm: confirmAsk(
        () => this.confirm,
        knownTo,
        (call) => {
          const memory = memoryOf(call);
          const { replyTo, agent, conversation, server, tool, policy } = memory() as Partial<CallContext>;
          return {
            context: this.#whose(call),
            line: JSON.stringify([replyTo, agent, conversation, server, tool, policy?.generation]),
            failure: () => (memory() as Partial<CallContext> | undefined)?.failure,
          };
        },
      ),
      finish: finishAsk({
        knownTo,
        validate,
        hasProgram: (server) => this.hasProgram(server),
        transform: (...asked) => this.transform(...asked),
        keep: (handle, result) => this.cached.keep(handle, result),
        hand: (...asked) => this.hand(...asked),
      }),
    };
  }
  #whose(call: string): { readonly context?: unknown } {
    const context = this.contextOf(call);
    return context === undefined ? {} : { context };
  }
  fill(
    { confirm, permission: rule }: Pick<ComputerOptions, 'confirm' | 'permission'>,
    servers: Pick<Servers, 'limitsOf' | 'totalLimits' | 'programOf'>,
    transformer: Transformer,
    notice: (text: string) => void,
    contextOf: (call: string) => unknown,
  ): void {
    this.confirm = confirm;
    this.contextOf = contextOf;
    if (rule) this.permission = rule;
    this.limitsOf = (server) => servers.limitsOf(server);
    this.total = () => servers.totalLimits();
    this.hasProgram = (server) => servers.programOf(server) !== null;
    this.transform = noticed(
      transformAsk(transformer, (server) => servers.programOf(server)),
      notice,
    );
  }
  /** Null for a rule of the host, which the port `policy` asks. */
  judge(call: string, request: object): Judgement | null {
    return this.permission === permission ? this.#judge(call, request as JudgedCall) : null;
  }
  has(session: string): boolean {
    return Object.hasOwn(this.#ports, session);
  }
  request(...[from, request, emit]: Parameters<RequestPort>): () => void {
    return this.#ports[request.target]?.(from, request, emit) ?? (() => {});
  }
  limited(
    request: PortRequest,
    emit: Emit<RequestFact>,
    ask: (emit: Emit<RequestFact>) => () => void,
  ): () => void {
    return requestLimited(this.#limiters, request.limiter ?? '', request, emit, ask);
  }
}

/** The bytes are those of the JSON of all results together. */
const bounds = { most: 20, mostBytes: 64 * 1024 * 1024 };

/** The oldest results are dropped first. */
export class CachedResults {
  readonly #results = new Map<string, { readonly result: unknown; readonly bytes: number }>();
  readonly #bounds: typeof bounds;
  #bytes = 0;

  constructor(given: Partial<typeof bounds> = {}) {
    this.#bounds = { ...bounds, ...given };
  }
  keep(handle: string, result: unknown): void {
    this.#drop(handle);
    const bytes = resultBytes(result);
    // Caches no result that cannot be written as JSON: it cannot be passed on, so nobody gets a handle to ask for it.
    if (bytes === Infinity) return;
    this.#results.set(handle, { result, bytes });
    this.#bytes += bytes;
    const { most, mostBytes } = this.#bounds;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= most && (this.#bytes <= mostBytes || this.#results.size === 1)) return;
      this.#drop(oldest);
    }
  }
  /** Undefined when it was never kept or has been dropped. */
  get(handle: string): unknown {
    return this.#results.get(handle)?.result;
  }
  #drop(handle: string): void {
    this.#bytes -= this.#results.get(handle)?.bytes ?? 0;
    this.#results.delete(handle);
  }
}

const confirmationWords: ReadonlySet<unknown> = new Set(['allow', 'allowForSession', 'deny']);
/** Any other word than the three known ones allows nothing. */
function confirmationIn(said: unknown): Confirmation | undefined {
  const { decision, reason } = (typeof said === 'object' && said !== null ? said : { decision: said }) as {
    readonly decision?: unknown;
    readonly reason?: unknown;
  };
  if (!confirmationWords.has(decision)) return undefined;
  const word = decision as Confirmation['decision'];
  return typeof reason === 'string' && reason !== '' ? { decision: word, reason } : { decision: word };
}
const unreadable = `the answer was none of ${[...confirmationWords].join(', ')}`;

const whatToAnswer =
  "Return 'allow', 'allowForSession' or 'deny' from `confirm`, or { decision: 'deny', reason }.";
const howToConfirm =
  'Give `confirm` or `permission` to createComputer, `autoApprove` to the server, or `confirmed: true` to the call.';

/** The first of equal questions is open, the others wait for it. */
class QuestionLines {
  readonly #lines = new Map<string, Turn[]>();

  /** Returns a function that leaves the line. */
  enter(key: string, turn: Turn): (with_: 'next' | 'allow' | 'late') => void {
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    if (line.push(turn) === 1) turn.ask();
    return (how) => this.#leave(key, turn, how);
  }
  #leave(key: string, turn: Turn, how: 'next' | 'allow' | 'late'): void {
    const line = this.#lines.get(key) ?? [];
    const at = line.indexOf(turn);
    if (at < 0) return;
    line.splice(at, 1);
    if (how !== 'next') for (const other of line.splice(0)) other[how]();
    if (line.length === 0) this.#lines.delete(key);
    else if (at === 0) line[0]?.ask();
  }
}
interface Turn {
  ask(): void;
  /** The person has allowed all equal calls. */
  allow(): void;
  /** The person has not answered the question before it. */
  late(): void;
}

interface AskingCall {
  readonly context: { readonly context?: unknown };
  /** Equal for calls that the same answer for the session allows. */
  readonly line: string;
  /** Explains why the question was withdrawn. */
  failure(): Failure | null | undefined;
}
const confirmAsk = (
  confirm: () => Confirm | undefined,
  knownTo: (call: string) => KnownTools | undefined,
  callAt: (call: string) => AskingCall,
): RequestPort => {
  const lines = new QuestionLines();
  return (from, { id, params }, emit) => {
    const { reqId, agent, server, tool, params: given } = params as JudgedCall;
    const how = confirm();
    const refuse = (
      message: string,
      more: { readonly reason?: string; readonly remedy?: string } = {},
    ): void => {
      const failure = notConfirmed({ server, tool }, message, { reason: more.reason });
      const { remedy } = more;
      emit({
        type: 'ask.refused',
        id,
        sent: false,
        failure: { ...failure, ...(remedy !== undefined && { remedy }) },
      });
    };
    const answer = (result: Confirmation): void => emit({ type: 'ask.answered', id, result });
    if (typeof how !== 'function') {
      if (how === 'allow') answer({ decision: 'allow' });
      else if (how === 'deny') refuse(confirmationDenied, { reason: 'its host allows none' });
      else refuse(confirmationMissing, { remedy: howToConfirm });
      return () => {};
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    const { title, annotations } = toolIn(knownTo(from), server, tool) ?? {};
    // Copies the arguments: changes that the callback makes for display must not alter what is sent.
    const shown = { title: asLine(title ?? annotations?.title ?? tool), arguments: copiedAsJson(given) };
    const call = callAt(from);
    const question = { reqId, agent, ...call.context, server, tool, ...shown };
    const whole: ConfirmQuestion = { ...question, annotations: annotations ?? null, signal };
    const read = (said: Confirmation | undefined): void => {
      leave(said?.decision === 'allowForSession' ? 'allow' : 'next');
      if (said) answer(said);
      else refuse(confirmationFailed(unreadable), { remedy: whatToAnswer });
    };
    const failed = (error: unknown): void => {
      leave('next');
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      refuse(isLate ? confirmationLate : confirmationFailed(textOf(error)));
    };
    let leave: ReturnType<QuestionLines['enter']> = () => {};
    const ask = (): void => {
      emit({ type: 'ask.began', id });
      // Reads the host's answer inside the promise, because reading a property of it may throw.
      void (async () => confirmationIn(await how(whole)))().then(read, failed);
    };
    const turn: Turn = {
      ask,
      allow: () => answer({ decision: 'allow' }),
      late: () => refuse(confirmationLate),
    };
    leave = lines.enter(call.line, turn);
    return () => {
      const failure = call.failure();
      const over = new Error(`The question is no longer open: ${whyWithdrawn(failure)}`);
      over.name = 'AbortError';
      aborter.abort(over);
      leave(failure?.details?.['which'] === 'confirm' ? 'late' : 'next');
    };
  };
};
