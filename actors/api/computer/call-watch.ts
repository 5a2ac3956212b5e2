import type { CallStart } from '../../../machines/call/call.machine.ts';
import type { CallEnd, CallPhase, CallSettled, Outcome } from '../../../machines/call/settlement.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Observer } from '../../runtime/observer.ts';
import { progressIn, type CallProgress } from '../call-progress.ts';

export interface CallStarted {
  readonly reqId: string;
  readonly server: string;
  readonly tool: string;
}
export interface CallEnded extends CallStarted {
  readonly end: CallEnd;
  readonly outcome: Outcome;
  /** Where it was when it ended otherwise than well; null: it succeeded. */
  readonly phase: CallPhase | null;
  /** What its caller is given: the result of the tool, as in `CallOutcome`; null: there is none. */
  readonly result: unknown;
  readonly failure: Failure | null;
}
export interface CallEvents {
  readonly 'call.started': CallStarted;
  readonly 'call.progress': CallStarted & CallProgress;
  readonly 'call.settled': CallEnded;
}
type Tell = <Name extends keyof CallEvents>(name: Name, call: CallEvents[Name]) => void;

/**
 * Tells of every call of a computer, whoever asked for it. It watches the tap instead of having the machines
 * report, so that a call costs nothing more while nobody listens.
 */
export class CallWatch implements Observer {
  readonly #tell: Tell;
  /** By address: those that run. */
  readonly #running = new Map<string, CallStarted>();
  constructor(tell: Tell) {
    this.#tell = tell;
  }
  record(record: DirectoryRecord): void {
    if (record.k === 'open' && record.kind === 'call' && record.a.startsWith('computer/')) {
      const { reqId, server, tool } = record.input as CallStart;
      this.#running.set(record.a, { reqId, server, tool });
      this.#tell('call.started', { reqId, server, tool });
    } else if (record.k === 'end') this.#running.delete(record.a);
    else if (record.k === 'in') {
      const told = progressIn(record);
      const call = told && this.#running.get(record.a);
      if (told && call) this.#tell('call.progress', { ...call, ...told });
    } else if (
      record.k === 'post' &&
      record.ev.type === 'call.settled' &&
      record.from.startsWith('computer/')
    ) {
      const { reqId, server, tool, end, outcome, phase, result, failure } = record.ev as CallSettled;
      this.#tell('call.settled', { reqId, server, tool, end, outcome, phase, result, failure });
    }
  }
}
