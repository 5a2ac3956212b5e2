import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { settingsPort } from '../../../machines/settings/settings.rules.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Invariant, Judge, RecordOf, Said } from '../invariant.ts';
import { asks, learns, opens, posts, story } from '../record-builders.ts';

interface Change {
  /** What it writes. */
  readonly edits: string;
  isWritten: boolean;
}
interface Settings {
  /** By ticket: what is not answered yet. */
  readonly changes: Map<string, Change>;
  /** What is being written. */
  writing: string | undefined;
}
type Fields = Said<{ ticket: string; edits: unknown; failure: unknown; isTaken: boolean }>;

class NoWriteLost implements Judge {
  readonly #machines = new Map<Address, Settings>();

  take(record: DirectoryRecord): readonly Found[] | undefined {
    if (record.k === 'open' && record.kind === 'settings')
      this.#machines.set(nameOf(record.a), { changes: new Map(), writing: undefined });
    else if (record.k === 'out') this.#asked(record);
    else if (record.k === 'in') this.#answered(record);
    else if (record.k === 'post') return this.#post(record);
    return undefined;
  }
  #asked({ a, ev }: RecordOf<'out'>): void {
    const { target, method, params } = ev as Said<{
      target: string;
      method: string;
      params: { edits: unknown };
    }>;
    const machine = this.#machines.get(nameOf(a));
    if (!machine || target !== settingsPort) return;
    machine.writing = method === 'write' ? JSON.stringify(params?.edits) : undefined;
  }
  #answered({ a, ev }: RecordOf<'in'>): void {
    const machine = this.#machines.get(nameOf(a));
    const { type, result } = ev as Said<{ result: { kind?: string } }>;
    if (machine?.writing === undefined || type !== 'ask.answered' || result?.kind !== 'good') return;
    for (const change of machine.changes.values())
      if (change.edits === machine.writing) change.isWritten = true;
  }
  #post({ from, a, ev }: RecordOf<'post'>): readonly Found[] | undefined {
    const { type, ticket = '', edits, failure } = ev as Fields;
    if (type === 'settings.change') {
      const change = { edits: JSON.stringify(edits), isWritten: false };
      this.#machines.get(nameOf(a))?.changes.set(ticket, change);
      return undefined;
    }
    const changes = this.#machines.get(nameOf(from))?.changes;
    const change = changes?.get(ticket);
    changes?.delete(ticket);
    if (!change || change.isWritten || failure) return undefined;
    return [{ at: from, what: `the change ${ticket} was told as done, and was never written` }];
  }
  quiescent(): readonly Found[] {
    return this.#unanswered();
  }
  closed(): readonly Found[] {
    return this.#unanswered();
  }
  #unanswered(): readonly Found[] {
    return [...this.#machines].flatMap(([at, { changes }]) =>
      [...changes.keys()].map((ticket): Found => {
        return { at, what: `the change ${ticket} was neither written nor refused`, kind: 'liveness' };
      }),
    );
  }
}

const settings = 'settings#1';
const born = opens(settings, 'settings', 'host:s', { file: 'f' });
const edits = (n: number) => [{ path: ['k'], value: n }];
const wants = (n: number) =>
  posts('host', 'settings', 'settings.change', { ticket: `t${n}`, edits: edits(n) });
const writes = (n: number) => asks(settings, 'file', settingsPort, 'write', { edits: edits(n) });
const written = learns(settings, 'file', 'ask.answered', { result: { kind: 'good' } });
const settles = (n: number, failure: object | null = null) =>
  posts(settings, 'host:s', 'settings.settled', { ticket: `t${n}`, isTaken: false, failure });

export const noWriteLost: Invariant = {
  invariant: 'no write is lost',
  why: 'Who changes a setting hears that it stands in the file, or why not; nothing is forgotten in between.',
  sees: ['open', 'out ask', 'in ask', 'post settings.change', 'post settings.settled'],
  open: () => new NoWriteLost(),
  violating: [
    {
      how: 'a change that is told as done without a write',
      seen: story(born, wants(1), settles(1)),
      said: 'the change t1 was told as done, and was never written',
    },
    {
      how: 'a change that is told as done with the write of another',
      seen: story(born, wants(1), wants(2), writes(1), written, settles(1), settles(2)),
      said: 'the change t2 was told as done, and was never written',
    },
    {
      how: 'a change that is forgotten',
      seen: story(born, wants(1), wants(2), writes(1), written, settles(1)),
      until: 'closed',
      said: 'the change t2 was neither written nor refused',
    },
  ],
  passing: [
    {
      how: 'a change that is written',
      seen: story(born, wants(1), writes(1), written, settles(1)),
      until: 'quiescent',
    },
    {
      how: 'a change that is refused',
      seen: story(born, wants(1), settles(1, { code: 'x' })),
      until: 'closed',
    },
    { how: 'a machine from before the first record', seen: story(wants(1), settles(1)), until: 'closed' },
  ],
};
