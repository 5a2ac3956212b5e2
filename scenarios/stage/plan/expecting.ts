import type { Outcome } from '../../../machines/call/messages.ts';
import type { Expectation, Stage } from './plan.ts';

/** A server, as `Scene` gives it. */
export interface ServerRef {
  /** Its name in the config. */
  readonly server: string;
}
/** A call, as `Scene` gives it. */
export interface CallRef {
  /** Its name in the plan. */
  readonly call: string;
}
/** A question for a Desktop, a Finder or a resource, as `Scene` gives it. */
export interface AskRef {
  /** Its name in the plan. */
  readonly ask: string;
}

/** What can be expected of a call. */
export interface OnCall {
  /** It has ended, and so; what is not named is not looked at. */
  settles(
    outcome: Outcome,
    more?: Omit<Extract<Expectation, { of: 'call' }>, 'of' | 'call' | 'outcome'>,
  ): void;
  /** It waits still. */
  waits(): void;
}
/** What can be expected of a question. */
export interface OnAsk {
  /** It is answered, and so; what is not named is not looked at. */
  shows(what: Omit<Extract<Expectation, { of: 'shown' }>, 'of' | 'ask'>): void;
}
/** What can be expected of a server. */
export interface OnServer {
  /** All its stages from the beginning. */
  visits(...stages: readonly Stage[]): void;
  /** The stage it is in now. */
  is(stage: Stage): void;
  /** Parts of the sentence of its last failure. */
  says(...texts: readonly string[]): void;
  /** All that its processes were sent, from the beginning: `stdin`, `SIGTERM@600`, `SIGKILL@1000`. */
  signals(...signals: readonly string[]): void;
  /** How often it was asked this, from the beginning. */
  requests(method: string, count: number): void;
  /** How often it was asked this at most, from the beginning. */
  requestsAtMost(method: string, count: number): void;
  /** All that its processes were launched with: generation and 1,000 times the values. */
  launches(...specs: readonly number[]): void;
}
/** What can be expected; each word holds for the moment at which it is said. */
export interface Expecting {
  (call: CallRef): OnCall;
  (server: ServerRef): OnServer;
  (ask: AskRef): OnAsk;
  /** How many of its processes were `started`, `failed` to start, and are `alive`. What is not named is not looked at. */
  processes(server: ServerRef, counts: { started?: number; failed?: number; alive?: number }): void;
  /** What the host heard of tools, from the beginning: `+read`, `-read`. */
  tools(...changes: readonly string[]): void;
  /** How often the host of `who` has heard this event, from the beginning. */
  heard(who: 'computer' | 'agent', event: string, count: number): void;
  /** All stages of the computer, or of a link, from the beginning. */
  stages(who: 'computer' | 'computer link' | 'agent link', ...stages: readonly string[]): void;
}

/** Each word writes one expectation down, to be looked at when its turn comes. */
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
