import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { opens, posts, story } from '../record-builders.ts';

interface Computer {
  readonly permitMs: number;
  /** Servers that have their turn, by the name of their client. */
  readonly running: Set<Address>;
  /** Who wants one after a failure. */
  readonly again: Set<Address>;
  tokens: number;
  since: number;
}
type Fields = Said<{ stage: string; again: boolean; timing: { permitMs?: number } }>;
const parallel = 16;
const burst = 5;

class StartRate implements Judge {
  readonly #slackMs: number;
  readonly #computers = new Map<Address, Computer>();

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'post') return this.#post(record, at);
    if (record.k === 'end') {
      this.#over(nameOf(record.a));
      this.#computers.delete(record.a.includes('/') ? '' : nameOf(record.a));
    } else if (record.k === 'open' && record.kind === 'computer') {
      const { timing } = record.input as Fields;
      const startRate = { running: new Set<Address>(), again: new Set<Address>(), tokens: burst, since: at };
      this.#computers.set(nameOf(record.a), { permitMs: timing?.permitMs ?? 0, ...startRate });
    }
    return undefined;
  }
  #of(client: Address): Computer | undefined {
    return this.#computers.get(client.slice(0, Math.max(0, client.lastIndexOf('/client:'))));
  }
  #over(client: Address): void {
    this.#of(client)?.running.delete(client);
  }
  #post({ from, a, ev }: RecordOf<'post'>, at: number): Found | undefined {
    const { type, stage, again } = ev as Fields;
    if (type === 'permit.granted') return this.#granted(nameOf(a), at);
    if (type === 'permit.released' || (type === 'client.changed' && stage !== 'connecting'))
      this.#over(nameOf(from));
    else if (type === 'permit.wanted') {
      this.#over(nameOf(from));
      if (again) this.#of(nameOf(from))?.again.add(nameOf(from));
      else this.#of(nameOf(from))?.again.delete(nameOf(from));
    }
    return undefined;
  }
  #granted(client: Address, at: number): Found | undefined {
    const computer = this.#of(client);
    if (!computer) return undefined;
    const { running, again, permitMs } = computer;
    running.add(client);
    if (running.size > parallel) return { at: client, what: `${running.size} servers connect at a time` };
    if (!again.delete(client) || permitMs === 0) return undefined;
    computer.tokens = Math.min(burst, computer.tokens + (at - computer.since) / permitMs) - 1;
    computer.since = at;
    // Rounded times, and a clock that was late and catches up.
    if (computer.tokens > -0.1 - this.#slackMs / permitMs) return undefined;
    return {
      at: client,
      what: `came back as one too many: ${burst} at once, and one more after ${permitMs} ms`,
    };
  }
}

const clientOf = (n: number): Address => `c/client:s${n}`;
const born = opens('c#1', 'computer', 'host', { timing: { permitMs: 200 } });
const each = (count: number) => Array.from({ length: count }, (_, n) => n);
const wants = (n: number, again: boolean) => posts(`${clientOf(n)}#1`, 'c#1', 'permit.wanted', { again });
const has = (n: number) => posts('c#1', clientOf(n), 'permit.granted');
const becomes = (n: number, stage: string) => posts(`${clientOf(n)}#1`, 'c#1', 'client.changed', { stage });
const together = (count: number) => each(count).flatMap((n) => [wants(n, false), has(n)]);
const backAgain = (n: number) => [wants(n, true), has(n), becomes(n, 'ready')];

export const startRate: Invariant = {
  invariant: 'server starts are limited in number and rate',
  why: 'Sixteen connect at a time, and thirty that died together do not come back in the same second (token bucket).',
  sees: [
    ...([
      'post permit.wanted',
      'post permit.granted',
      'post permit.released',
      'post client.changed',
    ] as const),
    ...(['open', 'end'] as const),
  ],
  open: ({ slackMs }) => new StartRate(slackMs),
  violating: [
    { how: 'seventeen at a time', seen: story(born, ...together(17)), said: '17 servers connect at a time' },
    {
      how: 'six that come back at once',
      seen: story(born, ...each(6).flatMap(backAgain)),
      said: 'came back as one too many',
    },
    {
      how: 'one that comes back before there is a token',
      seen: story(born, ...each(5).flatMap(backAgain), 100, ...backAgain(7)),
      said: 'came back as one too many',
    },
  ],
  passing: [
    {
      how: 'sixteen at a time',
      seen: story(born, ...together(16), becomes(3, 'ready'), wants(16, false), has(16)),
    },
    {
      how: 'one that is slow and lets another pass',
      seen: story(
        born,
        ...together(16),
        posts(`${clientOf(2)}#1`, 'c#1', 'permit.released'),
        wants(16, false),
        has(16),
      ),
    },
    {
      how: 'a return for each token',
      seen: story(born, ...each(5).flatMap(backAgain), 200, ...backAgain(7)),
    },
    {
      how: 'first starts, which take no token',
      seen: story(born, ...each(40).flatMap((n) => [wants(n, false), has(n), becomes(n, 'ready')])),
    },
    { how: 'a computer from before the first record', seen: story(...together(17)) },
  ],
};
