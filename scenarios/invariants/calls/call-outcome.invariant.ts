import type { Address } from '../../../machines/kernel/address.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { CallSettled } from '../../../machines/call/settlement.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, ends, learns, opens, posts, story } from '../record-builders.ts';

/** How far a call has come: it was not sent (yet, or not any more), its server has it, or has answered it. */
type Way = 'not sent' | 'sent' | 'answered' | 'refused by its server';

class CallOutcome implements Judge {
  readonly #calls = new Map<Address, { way: Way; isRefused: boolean }>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open') {
      if (record.kind === 'call') this.#calls.set(record.a, { way: 'not sent', isRefused: false });
    } else if (record.k === 'end') {
      // One that is done is settled a moment after its end.
      if (record.why !== 'done') this.#calls.delete(record.a);
    } else if (record.k === 'out') {
      const { id, type } = record.ev as Said<{ id: string }>;
      const call = id === 'call' ? this.#calls.get(record.a) : undefined;
      // What is taken back to be held was in line.
      if (call && type === 'ask') call.way = 'sent';
    } else if (record.k === 'in') this.#hear(record);
    else if (record.k === 'post') {
      const call = this.#calls.get(record.from);
      this.#calls.delete(record.from);
      return wrong(record, call);
    }
    return undefined;
  }
  #hear({ a, id, ev }: RecordOf<'in'>): void {
    const call = id === 'call' ? this.#calls.get(a) : undefined;
    if (!call) return;
    const { type, sent, lost, result } = ev as Said<{ sent: boolean; lost: boolean; result: unknown }>;
    if (type === 'ask.waiting') call.way = 'not sent';
    else if (type === 'ask.began') call.way = 'sent';
    else if (isAnswer(type)) {
      const isRefusal = type === 'ask.refused' && lost !== true;
      if (type === 'ask.answered') call.way = 'answered';
      else if (isRefusal) call.way = sent === false ? 'not sent' : 'refused by its server';
      call.isRefused = (result as { isError?: unknown } | null)?.isError === true;
    }
  }
}
/** What is said of a call whose machine broke is said by its will. */
const isCrash = ({ failure }: Said<CallSettled>): boolean => failure?.code === 'Crashed';

function wrong({ from, ev }: RecordOf<'post'>, call?: { way: Way; isRefused: boolean }): Found | undefined {
  const said = ev as Said<CallSettled>;
  const { end, outcome, phase, ticket = '', result } = said;
  if (end === undefined || isCrash(said)) return undefined;
  const found = (what: string): Found => ({ at: from, what: `${ticket} ${what}` });
  const words = `is ${end}, ${outcome}, ${phase}`;
  const hasSucceeded = end === 'succeeded';
  if ((outcome === 'succeeded') !== hasSucceeded || (phase === null) !== hasSucceeded)
    return found(`${words}, which contradict each other`);
  if (outcome === 'unknown' && phase !== 'running')
    return found(`${words}: nothing is unknown of what never ran`);
  if (!call) return undefined;
  const { way, isRefused } = call;
  if (hasSucceeded && (way !== 'answered' || isRefused)) return found(`${words}, and was ${way}`);
  if (way === 'not sent' && (outcome !== 'failed' || phase === 'running'))
    return found(`${words}, and was not sent`);
  if (way === 'sent' && outcome !== 'unknown') return found(`${words}, and was sent and never answered`);
  if (way === 'answered' && (outcome === 'unknown' || end === 'cancelled' || end === 'timedOut'))
    return found(`${words}, and its answer was there`);
  if (way === 'answered' && isRefused && (result ?? null) === null)
    return found(`${words}, and does not say what its tool said`);
  return undefined;
}

const call = 'c/client:fs/call:t1#1';
const opened = opens(call, 'call', 'c/client:fs#1');
const sent = [opened, asks(call, 'call', 'c/client:fs#1', 'tools/call')];
const waits = learns(call, 'call', 'ask.waiting', { ahead: 0 });
const began = learns(call, 'call', 'ask.began', {});
const answered = learns(call, 'call', 'ask.answered', { result: { content: [] } });
const isError = learns(call, 'call', 'ask.answered', { result: { isError: true } });
const refused = (more: Readonly<Record<string, unknown>>) => learns(call, 'call', 'ask.refused', more);
const settled = (end: string, outcome: string, phase: string | null, more: object = {}) =>
  posts(call, 'host:c', 'call.settled', { ticket: 't1', end, outcome, phase, result: null, ...more });
const succeeded = settled('succeeded', 'succeeded', null);

export const callOutcome: Invariant = {
  invariant: 'a call that was never sent ends as failed, and one that was never answered ends as unknown',
  why: 'Whoever calls again after "failed" does nothing twice; an answer that is there is given (outcome).',
  sees: ['open', 'end', 'in ask', 'out ask', 'post call.settled'],
  open: () => new CallOutcome(),
  violating: [
    {
      how: 'a cancelled call that was sent, and says it failed',
      seen: story(...sent, settled('cancelled', 'failed', 'running')),
      said: 'was sent and never answered',
    },
    {
      how: 'one that waits for its turn, and is unknown',
      seen: story(...sent, waits, settled('cancelled', 'unknown', 'running')),
      said: 'was not sent',
    },
    {
      how: 'one that waited, began, and was lost',
      seen: story(...sent, waits, began, settled('timedOut', 'failed', 'queued')),
      said: 'was sent and never answered',
    },
    {
      how: 'a busy limiter that is unknown',
      seen: story(...sent, refused({ sent: false }), settled('refused', 'unknown', 'running')),
      said: 'was not sent',
    },
    {
      how: 'one that was never sent, and failed while it ran',
      seen: story(opened, settled('failed', 'failed', 'running')),
      said: 'was not sent',
    },
    { how: 'one that succeeds without a server', seen: story(opened, succeeded), said: 'and was not sent' },
    {
      how: 'one that succeeds with an error',
      seen: story(...sent, isError, succeeded),
      said: 'and was answered',
    },
    {
      how: 'an answer that is thrown away because of a cancel',
      seen: story(...sent, answered, settled('cancelled', 'failed', 'running')),
      said: 'its answer was there',
    },
    {
      how: 'an error of a tool of which nothing is left',
      seen: story(...sent, isError, settled('failed', 'failed', 'running')),
      said: 'does not say what its tool said',
    },
    {
      how: 'words that contradict each other',
      seen: story(settled('succeeded', 'succeeded', 'running')),
      said: 'contradict each other',
    },
    {
      how: 'an unknown end in the queue',
      seen: story(settled('timedOut', 'unknown', 'queued')),
      said: 'nothing is unknown of what never ran',
    },
  ],
  passing: [
    { how: 'an answer', seen: story(...sent, answered, succeeded) },
    { how: 'a cancel on the way', seen: story(...sent, settled('cancelled', 'unknown', 'running')) },
    { how: 'a cancel in the queue', seen: story(...sent, waits, settled('cancelled', 'failed', 'queued')) },
    {
      how: 'a lost server',
      seen: story(...sent, refused({ sent: true, lost: true }), settled('unknown', 'unknown', 'running')),
    },
    {
      how: 'an error of the protocol',
      seen: story(...sent, refused({ sent: true }), settled('failed', 'failed', 'running')),
    },
    {
      how: 'an error of the tool',
      seen: story(...sent, isError, settled('failed', 'failed', 'running', { result: { isError: true } })),
    },
    {
      how: 'a machine that broke before it sent anything',
      seen: story(
        opened,
        ends(call, 'failed'),
        settled('unknown', 'unknown', 'running', { failure: { code: 'Crashed' } }),
      ),
    },
    { how: 'one from before the first record', seen: story(settled('timedOut', 'unknown', 'running')) },
  ],
};
