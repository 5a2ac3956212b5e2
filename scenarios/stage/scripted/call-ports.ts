import { validate } from '../../../adapters/schema/validate.ts';
import { requestLimited, type CallLimits } from '../../../machines/call/policy/call-limiters.ts';
import { finishAsk } from '../../../machines/call/policy/finish.ts';
import {
  judgeAsk,
  ownRuleJudge,
  type JudgedCall,
  type KnownTools,
} from '../../../machines/call/policy/judge.ts';
import type { Confirmation, Judgement } from '../../../machines/call/policy/policy.ts';
import { permission, type Permission } from '../../../machines/call/policy/permission.ts';
import type { RequestFact, Emit, RequestPort } from '../../../machines/kernel/ports.ts';
import { loginPort, specPort } from '../../../machines/client/client.events.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { scriptedLimiters } from './limiters.ts';
import {
  ScriptedBlobs,
  ScriptedLogins,
  ScriptedConfigFile,
  ScriptedLanding,
  ScriptedSkills,
  ScriptedSpecs,
} from './host-ports.ts';
import { landingPort } from '../../../machines/ports/files.ts';
import { blobsPort } from '../../../machines/ports/files.ts';
import { handing } from '../../../machines/blobs/hand.ts';
import { skillsPort } from '../../../machines/ports/files.ts';
import { settingsPort } from '../../../machines/settings/settings.rules.ts';

type Word = Confirmation['decision'] | 'never' | 'nobody';
export type Person = (request: { reqId: string; tool: string }) => Word | Answer;
interface Answer {
  readonly says: Word;
  readonly afterMs?: number;
}
export interface CallPortsOptions {
  /** Without one no answer comes. */
  readonly person?: Person | undefined;
  readonly permission?: Permission | undefined;
  readonly limitsOf?: ((server: string) => CallLimits) | undefined;
  readonly total?: (() => CallLimits) | undefined;
  /** When only this is given, every server has a program. */
  readonly transform?: RequestPort | undefined;
  readonly askOffice?: RequestPort | undefined;
  readonly hasProgram?: ((server: string) => boolean) | undefined;
}
type PortRequest = Parameters<RequestPort>[1];

const thinkingMs = 5;
const nobody = { code: 4005, message: 'nobody is here to confirm' } as const;

export class ScriptedCallPorts {
  readonly cached = new Map<string, unknown>();
  readonly specs: ScriptedSpecs;
  readonly logins = new ScriptedLogins();
  readonly skills: ScriptedSkills;
  readonly landing: ScriptedLanding;
  readonly blobs: ScriptedBlobs;
  readonly #clock: VirtualClock;
  readonly #options: CallPortsOptions;
  readonly #judge: (call: string, request: JudgedCall) => Judgement;
  readonly #ports: Readonly<Record<string, RequestPort>>;
  readonly #limiters = new Map<string, ReturnType<typeof scriptedLimiters>>();

  constructor(
    clock: VirtualClock,
    contextOf: (address: string) => KnownTools | undefined,
    options: CallPortsOptions,
  ) {
    this.#clock = clock;
    this.specs = new ScriptedSpecs(clock);
    this.landing = new ScriptedLanding(clock);
    this.blobs = new ScriptedBlobs(clock);
    this.skills = new ScriptedSkills(clock, this.blobs.keep);
    this.#options = options;
    const knownTo = (call: string): KnownTools | undefined => contextOf(rootOf(call));
    const { transform } = options;
    const none: RequestPort = () => () => {};
    const { askOffice = none } = options;
    this.#judge = ownRuleJudge({ knownTo, validate });
    this.#ports = {
      [specPort]: this.specs.request,
      [loginPort]: this.logins.request,
      [skillsPort]: this.skills.request,
      [landingPort]: this.landing.request,
      [blobsPort]: this.blobs.request,
      [settingsPort]: new ScriptedConfigFile(clock).request,
      policy: judgeAsk({ knownTo, validate, permission: () => options.permission ?? permission }),
      confirm: (_, request, emit) => this.#confirm(request, emit),
      finish: finishAsk({
        knownTo,
        validate,
        hasProgram: options.hasProgram ?? (() => transform !== undefined),
        transform: transform ?? none,
        keep: (handle, result) => void this.cached.set(handle, result),
        hand: handing({ contextOf, ask: askOffice, keep: this.blobs.keep }),
      }),
    };
  }
  judge(call: string, request: object): Judgement | null {
    return this.#options.permission ? null : this.#judge(call, request as JudgedCall);
  }
  has(session: string): boolean {
    return Object.hasOwn(this.#ports, session);
  }
  request(...[from, request, emit]: Parameters<RequestPort>): () => void {
    return this.#ports[request.target]?.(from, request, emit) ?? (() => {});
  }
  limited(
    from: string,
    request: PortRequest,
    emit: Emit<RequestFact>,
    ask: (emit: Emit<RequestFact>) => () => void,
  ): () => void {
    const { limitsOf, total } = this.#options;
    const root = rootOf(from);
    const limiters =
      this.#limiters.get(root) ??
      scriptedLimiters(this.#clock, { ...(limitsOf && { limitsOf }), ...(total && { total }) });
    this.#limiters.set(root, limiters);
    return requestLimited(limiters, request.limiter ?? '', request, emit, ask);
  }
  #confirm({ id, params }: PortRequest, emit: Emit<RequestFact>): () => void {
    const said = this.#options.person?.(params as { reqId: string; tool: string }) ?? 'nobody';
    const { says: answer, afterMs = thinkingMs }: Answer = typeof said === 'string' ? { says: said } : said;
    if (answer !== 'nobody') emit({ type: 'ask.began', id });
    if (answer === 'never') return () => {};
    const timer = this.#clock.setTimeout(
      () =>
        emit(
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
