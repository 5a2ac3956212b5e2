import { createCallLimiters, transformAsk, validate } from '../../../adapters/index.ts';
import {
  requestLimited,
  defaultLimits,
  finishAsk,
  judgeAsk,
  judged,
  noLimits,
  type CallRequest,
  type Judgement,
  type Known,
  type CallLimits,
} from '../../../machines/call/policy/index.ts';
import type { Tool } from '../../../machines/catalog/index.ts';
import { permission, type Permission } from '../../../machines/call/permission/index.ts';
import type { RequestFact, Emit, Ports } from '../../../machines/kernel/ports.ts';
import type { Transformer } from '../../../machines/kernel/transformer.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';
import type { ComputerOptions } from './computer-options.ts';
import { confirmAsk, type Confirm } from './confirm.ts';
import { CachedResults } from './cached-results.ts';
import type { Servers } from '../../servers/servers.ts';

type PortRequest = Parameters<Ports['request']>[1];
const unavailable: Ports['request'] = (_from, { id }, emit) => {
  const failure = { code: wireCodes.notBuilt, message: 'There is no program' } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};

/** Programs that fail are told once for each reason; what each call says of it stands in its own warnings. */
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
  /** Of one server, and of all together. */
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
  readonly #judge: (call: string, request: CallRequest) => Judgement;
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
    const knownTo = (call: string): Known | undefined =>
      memoryOf(call.slice(0, call.indexOf('/')))() as Known | undefined;
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
  /** What a host has set, and what its config says of each server. */
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
    return this.permission === permission ? this.#judge(call, request as CallRequest) : null;
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
