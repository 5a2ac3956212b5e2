import type { Outcome } from '../../../machines/call/call.rules.ts';
import type { Expectation, Stage } from './plan.ts';

/** Reference to a server of a plan, returned by `Scene`. */
export interface ServerRef {
  /** Name of the server in the config. */
  readonly server: string;
}
/** Reference to a call of a plan, returned by `Scene`. */
export interface CallRef {
  /** Name of the call in the plan. */
  readonly call: string;
}
/** Reference to a question for a Desktop, a Finder or a resource, returned by `Scene`. */
export interface AskRef {
  /** Name of the question in the plan. */
  readonly ask: string;
}

/** Expectations on a call. */
export interface OnCall {
  /** Expects that the call has ended with this outcome; members not given are not checked. */
  settles(
    outcome: Outcome,
    more?: Omit<Extract<Expectation, { of: 'call' }>, 'of' | 'call' | 'outcome'>,
  ): void;
  /** Expects that the call has not ended yet. */
  waits(): void;
}
/** Expectations on a question for a Desktop, a Finder or a resource. */
export interface OnAsk {
  /** Expects that the question was answered like this; members not given are not checked. */
  shows(what: Omit<Extract<Expectation, { of: 'shown' }>, 'of' | 'ask'>): void;
}
/** Expectations on a server. */
export interface OnServer {
  /** Expects exactly these stages of the server since the start of the play. */
  visits(...stages: readonly Stage[]): void;
  /** Expects the current stage of the server. */
  is(stage: Stage): void;
  /** Expects these texts in the message of the server's last failure. */
  says(...texts: readonly string[]): void;
  /**
   * Expects exactly these signals to the processes of the server since the start: `stdin`, `SIGTERM@600`,
   * `SIGKILL@1000`.
   */
  signals(...signals: readonly string[]): void;
  /** Expects the number of requests of this method since the start. */
  requests(method: string, count: number): void;
  /** Expects at most this number of requests of this method since the start. */
  requestsAtMost(method: string, count: number): void;
  /** Expects the launch specs of the server's processes, each a number: generation plus 1,000 times the values. */
  launches(...specs: readonly number[]): void;
}
/** Expectations of a plan; each is checked at the point of the plan where it is written. */
export interface Expecting {
  (call: CallRef): OnCall;
  (server: ServerRef): OnServer;
  (ask: AskRef): OnAsk;
  /**
   * Expects the number of processes that `started`, `failed` to start, and are `alive`; members not given are not
   * checked.
   */
  processes(server: ServerRef, counts: { started?: number; failed?: number; alive?: number }): void;
  /** Expects exactly these changes of the tools that the host heard of since the start: `+read`, `-read`. */
  tools(...changes: readonly string[]): void;
  /** Expects the number of times that the host of `who` has heard this event since the start. */
  heard(who: 'computer' | 'agent', event: string, count: number): void;
  /** Expects exactly these stages of the computer, or of a link, since the start. */
  stages(who: 'computer' | 'computer link' | 'agent link', ...stages: readonly string[]): void;
}

export function expecting(add: (expectation: Expectation) => void): Expecting {
  const onCall = ({ call }: CallRef): OnCall => ({
    settles: (outcome, more) => add({ of: 'call', call, outcome, ...more }),
    waits: () => add({ of: 'call', call, outcome: null }),
  });
  const onServer = ({ server }: ServerRef): OnServer => ({
    visits: (...stages) => add({ of: 'visits', server, stages }),
    is: (stage) => add({ of: 'is', server, stage }),
    says: (...texts) => add({ of: 'says', server, texts }),
    signals: (...signals) => add({ of: 'signals', server, signals }),
    requests: (method, count) => add({ of: 'requests', server, method, count }),
    requestsAtMost: (method, count) => add({ of: 'requests', server, method, count, atMost: true }),
    launches: (...specs) => add({ of: 'specs', server, specs }),
  });
  const onAsk = ({ ask }: AskRef): OnAsk => ({ shows: (what) => add({ of: 'shown', ask, ...what }) });
  const on = (ref: CallRef | ServerRef | AskRef): OnCall | OnServer | OnAsk =>
    'call' in ref ? onCall(ref) : 'ask' in ref ? onAsk(ref) : onServer(ref);
  return Object.assign(on, {
    processes: ({ server }: ServerRef, counts: { started?: number; failed?: number; alive?: number }) =>
      add({ of: 'processes', server, ...counts }),
    tools: (...changes: readonly string[]) => add({ of: 'tools', changes }),
    heard: (who: 'computer' | 'agent', event: string, count: number) =>
      add({ of: 'heard', who, event, count }),
    stages: (who: 'computer' | 'computer link' | 'agent link', ...stages: readonly string[]) =>
      add({ of: 'stages', who, stages }),
  }) as Expecting;
}
