import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { ends, opens, posts, story, tells } from '../record-builders.ts';

interface Client {
  readonly backoffMs: number;
  readonly longestMs: number;
  /** When it may be launched again, and the pause that it has until then. */
  due: number;
  pauseMs: number;
}
type Fields = Said<{
  stage: string;
  attempt: number;
  timing: { backoffMs?: number; longestBackoffMs?: number };
  failure: { details?: Readonly<Record<string, unknown>> } | null;
}>;
/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
const earlyMs = 2;

class Backoff implements Judge {
  /** By name: whoever comes after it has another pause. */
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'out') return this.#launched(record, at);
    if (record.k === 'post') this.#post(record, at);
    else if (record.k === 'end') this.#clients.delete(record.a.includes('/process') ? '' : nameOf(record.a));
    else if (record.k === 'open' && record.kind === 'client') {
      const { timing } = record.input as Fields;
      const [backoffMs, longestMs] = [timing?.backoffMs ?? 0, timing?.longestBackoffMs ?? Infinity];
      this.#clients.set(nameOf(record.a), { backoffMs, longestMs, due: -Infinity, pauseMs: 0 });
    }
    return undefined;
  }
  #post({ from, a, ev }: RecordOf<'post'>, at: number): void {
    const { type, stage, attempt = 1, failure } = ev as Fields;
    // An order counts as the first try of many, and so does another config.
    const client = this.#clients.get(type === 'client.changed' ? nameOf(from) : nameOf(a));
    // That it is on its way is said before it is launched.
    if (!client || stage === 'connecting') return;
    client.due = -Infinity;
    if (type !== 'client.changed' || stage !== 'waiting') return;
    const asked = failure?.details?.['retry_after'];
    const ownMs = Math.min(client.longestMs, client.backoffMs * 2 ** Math.max(0, attempt - 1));
    client.pauseMs = Math.max(ownMs, Math.min(typeof asked === 'number' ? asked * 1_000 : 0, 3_600_000));
    client.due = at + client.pauseMs;
  }
  #launched({ a }: RecordOf<'out'>, at: number): Found | undefined {
    const client = this.#clients.get(serverIn(a) ?? '');
    if (!client || at >= client.due - earlyMs) return undefined;
    const hadMs = at - (client.due - client.pauseMs);
    return { at: a, what: `was launched again ${hadMs} ms after it failed, not ${client.pauseMs}` };
  }
}

const client = 'c/client:fs#1';
const timing = { backoffMs: 100, longestBackoffMs: 300 };
const born = opens(client, 'client', 'c#1', { timing });
const waits = (attempt: number, retry_after?: number) =>
  posts(client, 'c#1', 'client.changed', {
    stage: 'waiting',
    attempt,
    failure: { details: { retry_after } },
  });
const launched = tells('process', 'c/client:fs/process#2/process#1', 'leaf.open');
const connected = tells('session', `${client}/session#2`, 'leaf.open');

export const backoff: Invariant = {
  invariant: 'a failed server is tried again only after its pause',
  why: 'Twice as long after each failure, up to the longest: who cannot start costs nobody much (backoff).',
  sees: [
    ...(['out leaf.open', 'post client.changed', 'post server.start', 'post server.update'] as const),
    ...(['open', 'end'] as const),
  ],
  open: () => new Backoff(),
  violating: [
    {
      how: 'one that is impatient',
      seen: story(born, waits(1), 50, launched),
      said: '50 ms after it failed, not 100',
    },
    {
      how: 'one that does not wait as long as its server asked it to',
      seen: story(born, waits(1, 2), 300, launched),
      said: '300 ms after it failed, not 2000',
    },
    {
      how: 'a pause that stays as it was',
      seen: story(born, waits(2), 100, launched),
      said: '100 ms after it failed, not 200',
    },
    {
      how: 'one that says first that it is on its way',
      seen: story(
        born,
        waits(2),
        100,
        posts(client, 'c#1', 'client.changed', { stage: 'connecting' }),
        launched,
      ),
      said: '100 ms after it failed, not 200',
    },
    { how: 'one without a process', seen: story(born, waits(3), 200, connected), said: 'not 300' },
  ],
  passing: [
    { how: 'each its pause', seen: story(born, waits(1), 100, launched, waits(2), 200, launched) },
    { how: 'the longest pause', seen: story(born, waits(9), 300, connected) },
    {
      how: 'a start by hand',
      seen: story(born, waits(2), 10, posts('c#1', 'c/client:fs', 'server.start'), launched),
    },
    {
      how: 'another config',
      seen: story(born, waits(2), 10, posts('c#1', 'c/client:fs', 'server.update'), launched),
    },
    { how: 'one that came after it', seen: story(born, waits(2), ends(client), born, launched) },
  ],
};
