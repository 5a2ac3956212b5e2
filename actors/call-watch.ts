import type { CallStart } from '../machines/call.machine.ts';
import type { CallEnd, CallSettled, Outcome } from '../machines/settlement.ts';
import type { Failure } from '../machines/wire/index.ts';
import type { DirectoryRecord } from '../machines/trace/index.ts';
import type { Observer } from './observer.ts';

export interface CallStarted {
  readonly reqId: string;
  readonly server: string;
  readonly tool: string;
}
export interface CallEnded extends CallStarted {
  readonly end: CallEnd;
  readonly outcome: Outcome;
  readonly failure: Failure | null;
}

/**
 * Tells of every call of a computer, whoever asked for it. It watches the tap instead of having the machines
 * report, so that a call costs nothing more while nobody listens.
 */
export class CallWatch implements Observer {
  readonly #started: (call: CallStarted) => void;
  readonly #ended: (call: CallEnded) => void;
  constructor(started: (call: CallStarted) => void, ended: (call: CallEnded) => void) {
    this.#started = started;
    this.#ended = ended;
  }
  record(record: DirectoryRecord): void {
    if (record.k === 'open' && record.kind === 'call' && record.a.startsWith('computer/')) {
      const { reqId, server, tool } = record.input as CallStart;
      this.#started({ reqId, server, tool });
    } else if (
      record.k === 'post' &&
      record.ev.type === 'call.settled' &&
      record.from.startsWith('computer/')
    ) {
      const { reqId, server, tool, end, outcome, failure } = record.ev as CallSettled;
      this.#ended({ reqId, server, tool, end, outcome, failure });
    }
  }
}
