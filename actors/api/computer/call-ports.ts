import { createLanes, transformAsk, validate } from '../../../adapters/index.ts';
import {
  askInTurn,
  defaultLimits,
  finishAsk,
  judgeAsk,
  judged,
  noLimits,
  type CallQuestion,
  type Judgement,
  type Known,
  type LaneLimits,
} from '../../../machines/call/policy/index.ts';
import { permission, type Permission } from '../../../machines/call/permission/index.ts';
import type { AskFact, Give, Ports, Transformer } from '../../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';
import type { ComputerOptions } from './computer-options.ts';
import { confirmAsk, type Confirm } from './confirm.ts';
import { KeptResults } from './kept-results.ts';
import type { Servers } from '../../servers/servers.ts';

type Question = Parameters<Ports['ask']>[1];
const unavailable: Ports['ask'] = (_from, { id }, give) => {
  const failure = { code: wireCodes.notBuilt, message: 'There is no program' } as const;
  give({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};

/** The ports that only the calls of a computer ask, filled with what its host has set. */
export class CallPorts {
  confirm: Confirm = 'deny';
  /** The rule of the host in the place of ours. */
  permission: Permission = permission;
  /** Of one server, and of all together. */
  limitsOf: (server: string) => LaneLimits = () => defaultLimits;
  total: () => LaneLimits = () => noLimits;
  /** The program of a server, and who runs it. */
  hasProgram: (server: string) => boolean = () => false;
  transform: Ports['ask'] = unavailable;
  readonly kept = new KeptResults();
  readonly #lanes = createLanes({
    limitsOf: (server) => this.limitsOf(server),
    total: () => this.total(),
  });
  readonly #judge: (call: string, question: CallQuestion) => Judgement;
  readonly #ports: Readonly<Record<string, Ports['ask']>>;

  /** `memoryOf`: what the machine that lives at an address remembers, also when it has ended since. */
  constructor(memoryOf: (address: string) => () => unknown) {
    /** A call lives below its computer. */
    const knownTo = (call: string): Known | undefined =>
      memoryOf(call.slice(0, call.indexOf('/')))() as Known | undefined;
    const failureOf = (call: string): (() => Failure | null | undefined) => {
      const memory = memoryOf(call);
      return () => (memory() as { readonly failure?: Failure | null } | undefined)?.failure;
    };
    this.#judge = judged({ knownTo, validate });
    this.#ports = {
      policy: judgeAsk({ knownTo, validate, permission: () => this.permission }),
      confirm: confirmAsk(() => this.confirm, knownTo, failureOf),
      finish: finishAsk({
        ...{ knownTo, validate },
        hasProgram: (server) => this.hasProgram(server),
        transform: (...asked) => this.transform(...asked),
        keep: (handle, result) => this.kept.keep(handle, result),
      }),
    };
  }
  /** What a host has set, and what its config says of each server. */
  fill(
    { confirm = 'deny', permission: rule }: Pick<ComputerOptions, 'confirm' | 'permission'>,
    servers: Pick<Servers, 'limitsOf' | 'totalLimits' | 'programOf'>,
    transformer: Transformer,
  ): void {
    this.confirm = confirm;
    if (rule) this.permission = rule;
    this.limitsOf = (server) => servers.limitsOf(server);
    this.total = () => servers.totalLimits();
    this.hasProgram = (server) => servers.programOf(server) !== null;
    this.transform = transformAsk(transformer, (server) => servers.programOf(server));
  }
  /** The port `judge`: our own rule answers at once; one of the host is asked by the port `policy`. */
  judge(call: string, question: object): Judgement | null {
    return this.permission === permission ? this.#judge(call, question as CallQuestion) : null;
  }
  has(session: string): boolean {
    return Object.hasOwn(this.#ports, session);
  }
  ask(...[from, question, give]: Parameters<Ports['ask']>): () => void {
    return this.#ports[question.session]?.(from, question, give) ?? (() => {});
  }
  inTurn(question: Question, give: Give<AskFact>, ask: (give: Give<AskFact>) => () => void): () => void {
    return askInTurn(this.#lanes, question.lane ?? '', question, give, ask);
  }
}
