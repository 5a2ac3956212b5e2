import type { Outcome } from '../../../machines/call/settlement.ts';
import type { Expectation, Stage } from './plan.ts';

export interface ServerRef {
  readonly server: string;
}
export interface CallRef {
  readonly call: string;
}
export interface AskRef {
  readonly ask: string;
}

export interface OnCall {
  settles(
    outcome: Outcome,
    more?: Omit<Extract<Expectation, { of: 'call' }>, 'of' | 'call' | 'outcome'>,
  ): void;
  /** It waits still. */
  waits(): void;
}
export interface OnAsk {
  shows(what: Omit<Extract<Expectation, { of: 'shown' }>, 'of' | 'ask'>): void;
}
export interface OnServer {
  /** All its stages from the beginning. */
  visits(...stages: readonly Stage[]): void;
  is(stage: Stage): void;
  /** Parts of the sentence of its last failure. */
  says(...texts: readonly string[]): void;
  /** All that its processes were sent, from the beginning: `stdin`, `SIGTERM@600`, `SIGKILL@1000`. */
  signals(...signals: readonly string[]): void;
  requests(method: string, count: number): void;
  requestsAtMost(method: string, count: number): void;
  /** All that its processes were launched with: generation and 1,000 times the values. */
  launches(...specs: readonly number[]): void;
}
export interface Expecting {
  (call: CallRef): OnCall;
  (server: ServerRef): OnServer;
  (ask: AskRef): OnAsk;
  processes(server: ServerRef, counts: { started?: number; failed?: number; alive?: number }): void;
  /** What the host heard of tools, from the beginning: `+read`, `-read`. */
  tools(...changes: readonly string[]): void;
  heard(who: 'computer' | 'agent', event: string, count: number): void;
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
