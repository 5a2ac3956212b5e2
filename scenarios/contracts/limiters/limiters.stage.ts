import { noLimits, type CallLimits, type CallLimiters } from '../../../machines/call/policy/call-limiters.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

export interface LimitersUnderTest {
  /** The limits are read again whenever a call enters. */
  create(limits: { limitsOf: (server: string) => CallLimits; total: () => CallLimits }): CallLimiters;
  settled(): Promise<void>;
}

export interface Entered {
  readonly heard: string[];
  ahead: number | undefined;
  failure: Failure | undefined;
  leave(): void;
}
export interface LimitersStage {
  readonly limits: Record<string, CallLimits>;
  total: CallLimits;
  enter(server?: string, onGo?: () => void): Entered;
  settled(): Promise<void>;
}

export function harnessOf({ create, settled }: LimitersUnderTest): LimitersStage {
  const limits: Record<string, CallLimits> = {};
  const harness: LimitersStage = { limits, total: noLimits, enter, settled };
  const limiters = create({ limitsOf: (server) => limits[server] ?? noLimits, total: () => harness.total });
  function enter(server = 'a', onGo: () => void = () => {}): Entered {
    const it: Entered = { heard: [], ahead: undefined, failure: undefined, leave: () => leave() };
    const leave = limiters.enter(server, {
      go: () => {
        it.heard.push('go');
        onGo();
      },
      waits: (ahead) => {
        it.heard.push('waits');
        it.ahead = ahead;
      },
      busy: (failure) => {
        it.heard.push('busy');
        it.failure = failure;
      },
    });
    return it;
  }
  return harness;
}
