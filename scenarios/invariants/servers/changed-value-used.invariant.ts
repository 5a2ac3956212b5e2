import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { asks, ends, hears, learns, opens, posts, story, tells } from '../record-builders.ts';

interface Client {
  /** What its inputs gave last, as the number of a launch spec. */
  resolved: number | null;
  /** They were asked since it was launched. */
  isFresh: boolean;
  launched: number | null;
  stage: string;
}
type Fields = Said<{
  input: { spec?: number; process?: Address | null };
  result: { spec?: number };
  stage: string;
  server: string;
}>;

class ChangedValueUsed implements Judge {
  /** By name; who was there before the first record is not known. */
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open') {
      if (record.kind === 'client')
        this.#clients.set(nameOf(record.a), { resolved: null, isFresh: false, launched: null, stage: '' });
    } else if (record.k === 'end') this.#ended(nameOf(record.a));
    else if (record.k === 'in') this.#answered(record);
    else if (record.k === 'post') {
      const client = this.#clients.get(nameOf(record.from));
      if (client) client.stage = (record.ev as Fields).stage ?? '';
    } else if (record.k === 'out') return this.#launched(record);
    return undefined;
  }
  #ended(name: Address): void {
    this.#clients.delete(name);
    if (!name.endsWith('/process')) return;
    const client = this.#clients.get(serverIn(name) ?? '');
    if (client) client.isFresh = false;
  }
  #answered({ a, id, ev }: RecordOf<'in'>): void {
    const client = this.#clients.get(nameOf(a));
    const { result: { spec } = {} } = (ev ?? {}) as Fields;
    if (id !== 'spec' || !client || spec === undefined) return;
    client.resolved = spec;
    client.isFresh = true;
  }
  #launched({ port, a, ev }: RecordOf<'out'>): Found | undefined {
    const { spec, process } = (ev as Fields).input ?? {};
    const client = this.#clients.get(serverIn(a) ?? '');
    // A session speaks over the streams of a process, or is reached by its own spec.
    const isLaunch = port === 'process' || (port === 'session' && process === null);
    if (!client || spec === undefined || !isLaunch) return undefined;
    const { resolved, isFresh, launched } = client;
    // A session that is renewed is the same as before.
    const isRenewed = port === 'session' && !isFresh && launched === spec;
    client.isFresh = false;
    client.launched = spec;
    if (isRenewed) return undefined;
    if (!isFresh) return { at: a, what: `is launched with spec ${spec}, and its inputs were not asked` };
    if (resolved === spec) return undefined;
    return { at: a, what: `is launched with spec ${spec}, and its inputs gave ${resolved}` };
  }
  quiescent(): Found[] {
    return [...this.#clients].flatMap(([at, { stage, resolved, launched }]): Found[] =>
      stage !== 'ready' || launched === null || resolved === launched
        ? []
        : [{ at, what: `runs with spec ${launched}, and its inputs gave ${resolved}`, kind: 'liveness' }],
    );
  }
}

const client = 'c/client:fs#1';
const born = opens(client, 'client', 'c#1');
const gives = (spec: number) => learns(client, 'spec', 'ask.answered', { result: { spec } });
const launched = (spec: number) =>
  tells('process', 'c/client:fs/process#2/process#1', 'leaf.open', { input: { spec } });
const reached = (spec: number) =>
  tells('session', `${client}/session#1`, 'leaf.open', { input: { spec, process: null } });
const over = ends('c/client:fs/process#2');
const isReady = posts(client, 'c#1', 'client.changed', { server: 'fs', stage: 'ready' });

export const changedValueUsed: Invariant = {
  invariant: 'the next start of a server uses the changed input values',
  why: 'A token that was mistyped, or renewed, is of use only if the next start has it (docs/config.md, Inputs).',
  sees: ['open', 'end', 'in ask', 'out leaf.open', 'post client.changed'],
  open: () => new ChangedValueUsed(),
  violating: [
    {
      how: 'a child that is launched as before',
      seen: story(born, gives(1), launched(1), over, gives(1001), launched(1)),
      said: 'is launched with spec 1, and its inputs gave 1001',
    },
    {
      how: 'a start that asks nobody',
      seen: story(born, gives(1), launched(1), over, 10, launched(1)),
      said: 'is launched with spec 1, and its inputs were not asked',
    },
    {
      how: 'what was asked while the last one ran',
      seen: story(born, gives(1), launched(1), gives(1), over, launched(1)),
      said: 'is launched with spec 1, and its inputs were not asked',
    },
    {
      how: 'a URL with the value of yesterday',
      seen: story(born, gives(2), reached(1)),
      said: 'is launched with spec 1, and its inputs gave 2',
    },
    {
      how: 'a server that is not restarted with another spec',
      seen: story(born, gives(1), launched(1), isReady, gives(1001), 60_000),
      until: 'quiescent',
      said: 'runs with spec 1, and its inputs gave 1001',
    },
  ],
  passing: [
    { how: 'a value as it was', seen: story(born, gives(1), launched(1), over, gives(1), launched(1)) },
    { how: 'another value', seen: story(born, gives(1), launched(1), over, gives(2), launched(2)) },
    { how: 'a session that is renewed', seen: story(born, gives(1), reached(1), reached(1)) },
    { how: 'who was there before', seen: story(launched(1), over, launched(1)) },
    { how: 'another question', seen: story(born, gives(1), learns(client, 'ping'), launched(1)) },
    {
      how: 'a recording of before there were specs',
      seen: story(born, tells('process', 'c/client:fs/process#2/process#1', 'leaf.open', { input: {} })),
    },
    {
      how: 'one that asks, hears a fact, and is no client',
      seen: story(born, asks(client, 'spec', 'spec', 'resolve'), hears(client, 'x'), ends('c/link#1')),
      until: 'quiescent',
    },
  ],
};
