import type { ComputerOptions, Confirm, ConfirmQuestion } from './computer-options.ts';
import type { Servers } from '../servers/servers.ts';
import { createCallLimiters, transformAsk, validate } from '../../adapters/index.ts';
import { permission, type Permission } from '../../machines/call/permission.ts';
import {
  requestLimited,
  defaultLimits,
  finishAsk,
  judgeAsk,
  judged,
  noLimits,
  type JudgedCall,
  type Judgement,
  type KnownTools,
  type CallLimits,
  resultBytes,
  confirmationFailed,
  confirmationLate,
  confirmationMissing,
  handed,
  textOf,
  toolIn,
  whyWithdrawn,
  type Confirmation,
} from '../../machines/call/policy/index.ts';
import type { Tool } from '../../machines/catalog/entries.ts';
import type { RequestFact, Emit, Ports } from '../../machines/kernel/ports.ts';
import type { Transformer } from '../../machines/call/transform.ts';
import { wireCodes, type Failure } from '../../machines/protocol/index.ts';

type PortRequest = Parameters<Ports['request']>[1];
const unavailable: Ports['request'] = (_from, { id }, emit) => {
  const failure = { code: wireCodes.notBuilt, message: 'There is no program' } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};

/** Warns once for each reason why programs fail; each call has the reason in its own warnings. */
function noticed(transform: Ports['request'], notice: (text: string) => void): Ports['request'] {
  const told = new Set<string>();
  return (from, request, emit) =>
    transform(from, request, (fact) => {
      emit(fact);
      if (fact.type !== 'ask.refused' || told.has(fact.failure.message) || told.size === mostNoticed) return;
      told.add(fact.failure.message);
      notice(fact.failure.message);
    });
}
/** Reasons of failed programs that are told. */
const mostNoticed = 100;

/** The ports that only the calls of a computer ask, filled with what its host has set. */
export class CallPorts {
  confirm: Confirm = 'deny';
  /** The rule of the host in the place of ours. */
  permission: Permission = permission;
  /** Limits of the calls of one server, and of all servers together. */
  limitsOf: (server: string) => CallLimits = () => defaultLimits;
  total: () => CallLimits = () => noLimits;
  /** The program of a server, and who runs it. */
  hasProgram: (server: string) => boolean = () => false;
  transform: Ports['request'] = unavailable;
  readonly cached = new CachedResults();
  readonly #limiters = createCallLimiters({
    limitsOf: (server) => this.limitsOf(server),
    total: () => this.total(),
  });
  readonly #judge: (call: string, request: JudgedCall) => Judgement;
  readonly #ports: Readonly<Record<string, Ports['request']>>;

  /**
   * `memoryOf`: what the machine that lives at an address remembers, also when it has ended since. `noticed`: hears once of each tool whose
   * arguments cannot be judged, or not whole.
   */
  constructor(memoryOf: (address: string) => () => unknown, noticed: (server: string, text: string) => void) {
    const told = new WeakSet<object>();
    const noted = (server: string, { inputSchema }: Tool, text: string): void => {
      if (told.has(inputSchema)) return;
      told.add(inputSchema);
      noticed(server, text);
    };
    /** A call lives below its computer. */
    const knownTo = (call: string): KnownTools | undefined =>
      memoryOf(call.slice(0, call.indexOf('/')))() as KnownTools | undefined;
    const failureOf = (call: string): (() => Failure | null | undefined) => {
      const memory = memoryOf(call);
      return () => (memory() as { readonly failure?: Failure | null } | undefined)?.failure;
    };
    this.#judge = judged({ knownTo, validate, noted });
    this.#ports = {
      policy: judgeAsk({ knownTo, validate, noted, permission: () => this.permission }),
      confirm: confirmAsk(() => this.confirm, knownTo, failureOf),
      finish: finishAsk({
        knownTo,
        validate,
        hasProgram: (server) => this.hasProgram(server),
        transform: (...asked) => this.transform(...asked),
        keep: (handle, result) => this.cached.keep(handle, result),
      }),
    };
  }
  /** Takes the options of the host, and the limits and programs of its config. */
  fill(
    { confirm = 'deny', permission: rule }: Pick<ComputerOptions, 'confirm' | 'permission'>,
    servers: Pick<Servers, 'limitsOf' | 'totalLimits' | 'programOf'>,
    transformer: Transformer,
    notice: (text: string) => void,
  ): void {
    this.confirm = confirm;
    if (rule) this.permission = rule;
    this.limitsOf = (server) => servers.limitsOf(server);
    this.total = () => servers.totalLimits();
    this.hasProgram = (server) => servers.programOf(server) !== null;
    this.transform = noticed(
      transformAsk(transformer, (server) => servers.programOf(server)),
      notice,
    );
  }
  /** The port `judge`: our own rule answers at once; one of the host is asked by the port `policy`. */
  judge(call: string, request: object): Judgement | null {
    return this.permission === permission ? this.#judge(call, request as JudgedCall) : null;
  }
  has(session: string): boolean {
    return Object.hasOwn(this.#ports, session);
  }
  request(...[from, request, emit]: Parameters<Ports['request']>): () => void {
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

/** Results that are kept whole, and their bytes of JSON together. */
const bounds = { most: 20, mostBytes: 64 * 1024 * 1024 };

/** Results that were too large to be passed on. The oldest go first; what is asked for stays until then. */
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
    // A result that cannot be written as JSON cannot be passed on either; no notice names it.
    if (bytes === Infinity) return;
    this.#results.set(handle, { result, bytes });
    this.#bytes += bytes;
    const { most, mostBytes } = this.#bounds;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= most && (this.#bytes <= mostBytes || this.#results.size === 1)) return;
      this.#drop(oldest);
    }
  }
  /** Undefined: never kept, or gone by now. */
  get(handle: string): unknown {
    return this.#results.get(handle)?.result;
  }
  #drop(handle: string): void {
    this.#bytes -= this.#results.get(handle)?.bytes ?? 0;
    this.#results.delete(handle);
  }
}

const failed = (error: unknown): string => confirmationFailed(textOf(error));

const confirmationWords: ReadonlySet<unknown> = new Set(['allow', 'allowForSession', 'deny']);
/** Reads the answer of a host's callback. Any other word than those three allows nothing. */
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

/** The port `confirm`. */
const confirmAsk =
  (
    confirm: () => Confirm,
    knownTo: (call: string) => KnownTools | undefined,
    /** How the call at an address failed, asked when its question is withdrawn. */
    failureOf: (call: string) => () => Failure | null | undefined,
  ): Ports['request'] =>
  (from, { id, params }, emit) => {
    const { reqId, agent, server, tool, params: given } = params as JudgedCall;
    const how = confirm();
    const refuse = (message: string): void =>
      emit({ type: 'ask.refused', id, sent: false, failure: { code: wireCodes.notConfirmed, message } });
    const answer = (result: Confirmation): void => emit({ type: 'ask.answered', id, result });
    if (typeof how === 'string') {
      if (how === 'allow') answer({ decision: 'allow' });
      else refuse(confirmationMissing);
      return () => {};
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    const { title, annotations } = toolIn(knownTo(from), server, tool) ?? {};
    // A copy: what a callback makes of it for its person is not what is sent.
    const shown = { title: title ?? annotations?.title ?? tool, arguments: handed(given) };
    const question = { reqId, agent, server, tool, ...shown };
    const whole: ConfirmQuestion = { ...question, annotations: annotations ?? null, signal };
    // Read within the promise: what a host answers may throw when it is looked at.
    void (async () => confirmationIn(await how(whole)))().then(
      (read) => (read ? answer(read) : refuse(failed(unreadable))),
      (error: unknown) =>
        refuse(error instanceof Error && error.name === 'TimeoutError' ? confirmationLate : failed(error)),
    );
    const failure = failureOf(from);
    return () => {
      const over = new Error(`The question is no longer open: ${whyWithdrawn(failure())}`);
      over.name = 'AbortError';
      aborter.abort(over);
    };
  };
