/** Ports that a call asks on its way: whether it may run, a person, its limits, and what becomes of its result. */
import { CachedResults } from './cached-results.ts';
import type { ComputerOptions, Confirm } from './computer-options.ts';
import type { Servers } from '../servers/servers.ts';
import { during } from '../../adapters/clock.ts';
import { lazyPort } from '../../adapters/lazy-port.ts';
import { createCallLimiters } from '../../adapters/call-limiters.ts';
import { transformAsk, type Transformer } from '../../machines/call/transform.ts';
import { validate } from '../../adapters/schema/validate.ts';
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
} from '../../machines/call/policy/judge.ts';
import type { Judgement } from '../../machines/call/policy/policy.ts';
import type { CallContext } from '../../machines/call/call.rules.ts';
import type { Hand } from '../../machines/blobs/hand.ts';
import type { Tool } from '../../machines/catalog/entries.ts';
import type { RequestFact, Emit, RequestPort } from '../../machines/kernel/ports.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';

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
      confirm: lazyPort(async () => {
        const { confirmAsk } = await during(import('./confirm.ts'));
        return confirmAsk(
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
        );
      }),
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
