import type { EventObject } from 'xstate';
import { nameOf } from '../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { hostWords } from './host-words.ts';

/**
 * When a trace is kept by itself. `callUnknown`: a call ended otherwise than by its caller, and nobody knows whether it took
 * effect. `callFailed`: a call failed. `serverGaveUp`: a server is not tried again by itself. `serverLost`: a server that was
 * ready is gone. `fault`: a machine failed, a message was lost, or a defect.
 */
export const keepWords = ['callUnknown', 'callFailed', 'serverGaveUp', 'serverLost', 'fault'] as const;
/** A word of `RecordOptions.on`: what has to happen so that a trace is kept. */
export type KeepWord = (typeof keepWords)[number];
export const keptByDefault: readonly KeepWord[] = ['callUnknown', 'serverGaveUp', 'fault'];

/** Something for which a trace may be kept. */
export interface Reason {
  readonly on: KeepWord;
  /** The tool or the server; the address of a fault. */
  readonly subject: string;
  /** For people, one line. */
  readonly what: string;
}
const longestWhat = 300;
const reason = (on: KeepWord, subject: string, what: string): Reason => ({
  on,
  subject,
  what: what.replaceAll(/\p{Cc}+\s*/gu, ' ').slice(0, longestWhat),
});

type News = EventObject & {
  readonly name?: string;
  readonly state?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly end?: string;
  readonly outcome?: string;
  readonly failure?: { readonly message: string } | null;
};
function heard({
  type,
  name = '',
  state,
  server,
  tool = '',
  end,
  outcome,
  failure,
}: News): Reason | undefined {
  const why = failure ? `: ${failure.message}` : '';
  if (type === 'call.settled') {
    const call = `call ${tool}${server === undefined || server === '' ? '' : ` of ${server}`}`;
    if (outcome === 'failed') return reason('callFailed', tool, `${call} failed${why}`);
    if (outcome === 'unknown' && end !== 'cancelled')
      return reason('callUnknown', tool, `${call} ended unknown${why}`);
  }
  if (type !== 'server.changed') return undefined;
  if (state === 'open') return reason('serverGaveUp', name, `server ${name} gave up${why}`);
  return state === 'recovering' ? reason('serverLost', name, `server ${name} was lost${why}`) : undefined;
}

/** Why a trace could be kept when this has happened, judged by what the host hears; undefined: for nothing. */
export function reasonOf(record: DirectoryRecord): Reason | undefined {
  if (record.k === 'post') {
    const { a, ev, dead } = record;
    if (dead === 'lost') return reason('fault', nameOf(a), `${ev.type} to nobody at ${a}`);
    // Success is a reason for nothing, and the word for it costs with each call.
    if (!a.startsWith('host:') || (ev as News).outcome === 'succeeded') return undefined;
    return heard(hostWords.news('', ev));
  }
  if (record.k === 'end' && record.why === 'failed')
    return reason('fault', nameOf(record.a), `${record.a} failed: ${record.error}`);
  return record.k === 'defect' ? reason('fault', nameOf(record.a), `${record.a}: ${record.what}`) : undefined;
}

const minuteMs = 60_000;
const mostAMinute = 10;
/** At most one file a minute for a reason and its subject, and ten in all: what fails again and again must not fill a disk. */
export class KeptLately {
  readonly #times = new Map<string, number>();

  /** Whether it may be kept now, in ms; from then on it was. */
  take({ on, subject }: Reason, now: number): boolean {
    for (const [key, time] of this.#times) if (now - time >= minuteMs) this.#times.delete(key);
    const key = `${on} ${subject}`;
    if (this.#times.has(key) || this.#times.size >= mostAMinute) return false;
    this.#times.set(key, now);
    return true;
  }
}
