import { noLimits, type LaneLimits, type Lanes } from '../../../machines/call/policy/index.ts';
import type { Failure } from '../../../machines/protocol/index.ts';

export interface LanesUnderTest {
  /** Asked anew whenever somebody enters. */
  create(limits: { limitsOf: (server: string) => LaneLimits; total: () => LaneLimits }): Lanes;
  /** What is to come a moment later has come. */
  settled(): Promise<void>;
}

/** One who has entered, and all that he has heard. */
export interface Entered {
  readonly heard: string[];
  ahead: number | undefined;
  failure: Failure | undefined;
  leave(): void;
}
export interface LanesStage {
  /** By server; those that are not named have no limit. */
  readonly limits: Record<string, LaneLimits>;
  total: LaneLimits;
  enter(server?: string, onGo?: () => void): Entered;
  settled(): Promise<void>;
}

/** Lanes without any limit, until one is set. */
export function stageOf({ create, settled }: LanesUnderTest): LanesStage {
  const limits: Record<string, LaneLimits> = {};
  const stage: LanesStage = { limits, total: noLimits, enter, settled };
  const lanes = create({ limitsOf: (server) => limits[server] ?? noLimits, total: () => stage.total });
  function enter(server = 'a', onGo: () => void = () => {}): Entered {
    const it: Entered = { heard: [], ahead: undefined, failure: undefined, leave: () => leave() };
    const leave = lanes.enter(server, {
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
  return stage;
}
