import {
  askInTurn,
  finishAsk,
  judgeAsk,
  judged,
  type CallQuestion,
  type Confirmation,
  type Judgement,
  type Known,
  type LaneLimits,
} from '../../../machines/call/policy/index.ts';
import { permission, type Permission } from '../../../machines/call/permission/index.ts';
import type { AskFact, Give, Ports } from '../../../machines/kernel/ports.ts';
import { specPort } from '../../../machines/client/spec-port.ts';
import type { Validate } from '../../../machines/call/validation.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { scriptedLanes } from './lanes.ts';
import { ScriptedSpecs } from './specs.ts';

type Word = Confirmation['decision'] | 'never' | 'nobody';
/** What somebody does who is asked to confirm a call, and after how long. */
export type Person = (question: { reqId: string; tool: string }) => Word | Answer;
interface Answer {
  readonly says: Word;
  readonly afterMs?: number;
}
export interface CallPortsOptions {
  /** Without: nobody is there. */
  readonly person?: Person | undefined;
  readonly permission?: Permission | undefined;
  readonly limitsOf?: ((server: string) => LaneLimits) | undefined;
  readonly total?: (() => LaneLimits) | undefined;
  readonly validate?: Validate | undefined;
  /** Programs of servers, and who runs them; without more words every server has one. */
  readonly transform?: Ports['ask'] | undefined;
  readonly hasProgram?: ((server: string) => boolean) | undefined;
}
type Question = Parameters<Ports['ask']>[1];

/** So long a person thinks. */
const thinkingMs = 5;
const nobody = { code: 4005, message: 'nobody is here to confirm' } as const;
const trusting: Validate = () => ({ ok: true });

/** The ports whose questions reach no server, on virtual time: those of calls, and what servers are launched with. */
export class ScriptedCallPorts {
  /** What was too large to be given, by its handle. */
  readonly kept = new Map<string, unknown>();
  readonly specs: ScriptedSpecs;
  readonly #clock: VirtualClock;
  readonly #options: CallPortsOptions;
  readonly #judge: (call: string, question: CallQuestion) => Judgement;
  readonly #ports: Readonly<Record<string, Ports['ask']>>;
  /** Each computer has lanes of its own. */
  readonly #lanes = new Map<string, ReturnType<typeof scriptedLanes>>();

  constructor(
    clock: VirtualClock,
    contextOf: (address: string) => Known | undefined,
    options: CallPortsOptions,
  ) {
    this.#clock = clock;
    this.specs = new ScriptedSpecs(clock);
    this.#options = options;
    const knownTo = (call: string): Known | undefined => contextOf(rootOf(call));
    const { validate = trusting, transform } = options;
    const none: Ports['ask'] = () => () => {};
    this.#judge = judged({ knownTo, validate });
    this.#ports = {
      [specPort]: this.specs.ask,
      policy: judgeAsk({ knownTo, validate, permission: () => options.permission ?? permission }),
      confirm: (_, question, give) => this.#confirm(question, give),
      finish: finishAsk({
        ...{ knownTo, validate },
        hasProgram: options.hasProgram ?? (() => transform !== undefined),
        transform: transform ?? none,
        keep: (handle, result) => void this.kept.set(handle, result),
      }),
    };
  }
  /** The port `judge`. */
  judge(call: string, question: object): Judgement | null {
    return this.#options.permission ? null : this.#judge(call, question as CallQuestion);
  }
  has(session: string): boolean {
    return Object.hasOwn(this.#ports, session);
  }
  ask(...[from, question, give]: Parameters<Ports['ask']>): () => void {
    return this.#ports[question.session]?.(from, question, give) ?? (() => {});
  }
  inTurn(
    from: string,
    question: Question,
    give: Give<AskFact>,
    ask: (give: Give<AskFact>) => () => void,
  ): () => void {
    const { limitsOf, total } = this.#options;
    const root = rootOf(from);
    const lanes =
      this.#lanes.get(root) ??
      scriptedLanes(this.#clock, { ...(limitsOf && { limitsOf }), ...(total && { total }) });
    this.#lanes.set(root, lanes);
    return askInTurn(lanes, question.lane ?? '', question, give, ask);
  }
  #confirm({ id, params }: Question, give: Give<AskFact>): () => void {
    const said = this.#options.person?.(params as { reqId: string; tool: string }) ?? 'nobody';
    const { says: answer, afterMs = thinkingMs }: Answer = typeof said === 'string' ? { says: said } : said;
    if (answer === 'never') return () => {};
    const timer = this.#clock.setTimeout(
      () =>
        give(
          answer === 'nobody'
            ? { type: 'ask.refused', id, sent: false, failure: nobody }
            : { type: 'ask.answered', id, result: { decision: answer } satisfies Confirmation },
        ),
      afterMs,
    );
    return () => this.#clock.clearTimeout(timer);
  }
}
const rootOf = (address: string): string => address.slice(0, address.indexOf('/'));
