import type { EventObject } from 'xstate';
import { failedConfirmation } from '../../machines/call/policy/policy.ts';
import { nameOf, type Address } from '../../machines/kernel/effects.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';
import { fromWireError, wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import {
  failureIn,
  mayHaveRun,
  readAnswer,
  readToolResult,
  reportIn,
  toolErrorText,
} from '../../machines/protocol/reading.ts';
import { unreadableIn } from '../../machines/protocol/tool-result.ts';
import { keepWords, type KeepWord } from '../../machines/trace/reasons.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { hostWords } from './host-words.ts';

export const keptByDefault: readonly KeepWord[] = keepWords.filter((word) => word !== 'serverLost');
/** Reasons that a program may have wanted: only the first of a kind are written by default. */
export const isMinor = (on: string): boolean => on === 'callFailed' || on === 'outputMismatch';

export interface Reason {
  readonly on: KeepWord;
  readonly subject: string;
  readonly what: string;
  readonly code: string;
  /** True for what is no failure of a server: a decision of a person, a rule or a config, or the call of an unknown tool. */
  readonly isWanted?: boolean;
  /** Further news of a loss that was told: its end is explained a little later. */
  readonly isMore?: boolean;
  /** More is to come. */
  readonly isOpen?: boolean;
}
const longestWhat = 300;
const reason = (on: KeepWord, subject: string, what: string, code: unknown = ''): Reason => ({
  on,
  subject,
  what: what.replaceAll(/\p{Cc}+\s*/gu, ' ').slice(0, longestWhat),
  code: String(code),
});

type News = EventObject & {
  readonly name?: string;
  readonly state?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly ticket?: string;
  readonly end?: string;
  readonly outcome?: string;
  readonly result?: unknown;
  readonly failure?: Failure | null;
};
const isQuestion = (tool = ''): boolean => /^(?:client|server):/.test(tool);
const isDecided = (failure: Failure): boolean =>
  failure.code === 'NotPermitted' ||
  failure.code === wireCodes.toolDisabled ||
  failure.code === wireCodes.toolNotFound ||
  failure.code === wireCodes.conflict ||
  (failure.code === wireCodes.notConfirmed && failedConfirmation(failure)?.key !== 'failed');

/** Read from the computer's answer: the agent's machine only knows that one came. Undefined for a question. */
function answered(settled: News): News | undefined {
  if (isQuestion(settled.tool)) return undefined;
  const answer = readAnswer(settled.result);
  const isGood = answer.ok && !(isObject(answer.body) && answer.body['isError'] === true);
  if (isGood) return { ...settled, outcome: 'succeeded' };
  const read = readToolResult(settled.result);
  const said = (read.ok ? failureIn(read.result) : read.failure) ?? null;
  const report = read.ok ? reportIn(read.result) : undefined;
  const outcome = report?.outcome ?? (said && mayHaveRun(said) ? 'unknown' : 'failed');
  return { ...settled, outcome, failure: said && fromWireError(said) };
}
export const mismatchIn = (result: unknown): string | undefined => {
  const { meta, _meta } = fieldsOf(result);
  const found = fieldsOf(meta)['a2c_output_mismatch'] ?? fieldsOf(_meta)['a2c_output_mismatch'];
  return Array.isArray(found) ? found.join('; ') : undefined;
};

const mostRemembered = 1_000;
function remember<T>(all: Set<T>, one: T): void {
  all.add(one);
  if (all.size > mostRemembered) for (const oldest of all) return void all.delete(oldest);
}

export class Reasons {
  /** Tickets of calls whose signal was aborted by a time limit (`TimeoutError`), not by a person or a program. */
  readonly #late = new Set<string>();
  readonly #unreadable = new Map<Address, string>();
  readonly #lost = new Set<string>();

  /** Judges the news for the host, and the ends of calls that a computer runs for agents. */
  of(record: DirectoryRecord): Reason | undefined {
    if (record.k === 'in') return this.#in(record);
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'end' && record.why === 'failed')
      return reason('fault', nameOf(record.a), `${record.a} failed: ${record.error}`);
    return record.k === 'defect'
      ? reason('fault', nameOf(record.a), `${record.a}: ${record.what}`)
      : undefined;
  }
  #in({ via, a, id, ev }: Extract<DirectoryRecord, { k: 'in' }>): undefined {
    if (ev?.type === 'ask.answered' && id === 'call' && via === 'ask' && a.startsWith('computer/')) {
      const what = unreadableIn((ev as News).result);
      if (what !== undefined) this.#unreadable.set(a, what);
    } else if (ev?.type === 'call.cancel' && via === 'host') {
      const { ticket, timedOut } = fieldsOf(ev);
      if (timedOut === true) remember(this.#late, String(ticket));
    }
  }
  #post({ from, a, ev, dead }: Extract<DirectoryRecord, { k: 'post' }>): Reason | undefined {
    if (dead === 'lost') return reason('fault', nameOf(a), `${ev.type} to nobody at ${a}`);
    if (ev.type === 'call.settled') {
      // Takes the end of an agent's call from the message in which the call's machine on the computer reports it to the link.
      const isTold = a.startsWith('host:') || (from.startsWith('computer') && a.startsWith('computer/link'));
      return isTold ? this.#settled(from, ev) : undefined;
    }
    return ev.type === 'client.changed' && a.startsWith('host:') ? this.#heard(ev) : undefined;
  }
  #settled(from: Address, settled: News): Reason | undefined {
    const isOfAgent = from.startsWith('agent/') && !settled.failure;
    // Reads a good answer no further, because translating the end of each call would cost time.
    const end = isOfAgent ? answered(settled) : settled;
    const { tool = '', server = '', ticket = '', outcome, failure } = end ?? {};
    const broken = this.#unreadable.get(from);
    if (broken !== undefined) this.#unreadable.delete(from);
    const isLate = this.#late.size > 0 && this.#late.delete(ticket);
    if (!end || isQuestion(tool)) return undefined;
    const mismatch = outcome === 'succeeded' ? (mismatchIn(end.result) ?? broken) : undefined;
    if (outcome === 'succeeded' && mismatch === undefined) return undefined;
    const call = `call ${tool}${server === '' ? '' : ` of ${server}`}`;
    if (mismatch !== undefined)
      return reason('outputMismatch', tool, `the result of ${call} breaks its schema: ${mismatch}`);
    const isCancelled = end.end === 'cancelled' || failure?.code === 'ToolCallCancelled';
    if (isCancelled && !isLate) return undefined;
    const code = failure?.details?.['code'] ?? failure?.code ?? 'isError';
    if (outcome === 'unknown') {
      const why = failure ? `: ${failure.message}` : '';
      return reason('callUnknown', tool, `${call} ended unknown${why}`, code);
    }
    const failed = reason(
      'callFailed',
      tool,
      `${call} failed: ${failure?.message ?? toolErrorText(end.result)}`,
      code,
    );
    return failure && isDecided(failure) ? { ...failed, isWanted: true } : failed;
  }
  #heard(told: News): Reason | undefined {
    const { name = '', state, failure } = hostWords.news('', told) as News;
    const why = failure ? `: ${failure.message}` : '';
    const isMore = this.#lost.delete(name);
    const isOpen = state === 'recovering';
    if (isOpen) remember(this.#lost, name);
    if (state === 'open') return reason('serverGaveUp', name, `server ${name} gave up${why}`);
    if (!isOpen && (!isMore || state !== 'waiting')) return undefined;
    return { ...reason('serverLost', name, `server ${name} was lost${why}`), isMore, isOpen };
  }
}

const minuteMs = 60_000;
const mostAMinute = 10;
/** A repeated failure must not fill the disk. `isBrief` keeps only the first of minor failures of a tool and code. */
export class KeptLately {
  readonly #times = new Map<string, number>();
  readonly #known = new Set<string>();
  readonly #isBrief: boolean;
  constructor(isBrief = false) {
    this.#isBrief = isBrief;
  }
  /** `now` is in ms. Returns false when a limit is reached. */
  take({ on, subject, code, isWanted }: Reason, now: number): boolean {
    if (this.#isBrief && isWanted) return false;
    for (const [key, time] of this.#times) if (now - time >= minuteMs) this.#times.delete(key);
    const key = `${on} ${subject} ${code}`;
    const isOnce = this.#isBrief && isMinor(on);
    if (isOnce && (this.#known.has(key) || this.#known.size >= mostRemembered)) return false;
    if (this.#times.has(key) || this.#times.size >= mostAMinute) return false;
    this.#times.set(key, now);
    if (isOnce) this.#known.add(key);
    return true;
  }
}
