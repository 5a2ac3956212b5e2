import { TransientMap } from '../../../../machines/kernel/transient-map.ts';
import type {
  CallEnd,
  CallPhase,
  CallSettled,
  CallStart,
  Outcome,
} from '../../../../machines/call/messages.ts';
import type { Failure } from '../../../../machines/protocol/index.ts';
import type { DirectoryRecord } from '../../../../machines/trace/index.ts';
import type { Observer } from '../../../runtime/observer.ts';
import type { Progress } from '../../../../machines/protocol/messages/progress.ts';
import { progressIn } from '../../call-progress.ts';

/** A call of a computer. */
export interface CallStarted {
  /** The id that its caller gave it; two callers may use the same. */
  readonly reqId: string;
  /** The name in the config of the server that has the tool. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
}
/** How a call of a computer ended, whoever asked for it. */
export interface CallEnded extends CallStarted {
  /** How it came to its end, more exactly than `outcome`. */
  readonly end: CallEnd;
  /** What is known of its effect. `unknown`: it was sent and never answered. */
  readonly outcome: Outcome;
  /** Where it was when it ended otherwise than well; null: it succeeded. */
  readonly phase: CallPhase | null;
  /** What its caller is given: the result of the tool, as in `CallOutcome`; null: there is none. */
  readonly result: unknown;
  /** Why it did not succeed; null also where the tool itself says that it failed: then `result` says why. */
  readonly failure: Failure | null;
}
/** What a computer tells of its calls. Nothing is watched, and nothing costs, before somebody listens. */
export interface CallEvents {
  /** A call has begun: it is checked, asked about, and takes its turn. */
  readonly 'call.started': CallStarted;
  /** The server told how far it is. */
  readonly 'call.progress': CallStarted & Progress;
  /** The call is over. Told once for each that was started. */
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
  readonly #running = new TransientMap<string, CallStarted>();
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
