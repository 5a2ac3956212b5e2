import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf, serverIn } from '../places.ts';
import { hears, learns, posts, story } from '../record-builders.ts';

class ToolsBeforeReady implements Judge {
  /** Clients by name with a session that has tools, until it has told them. */
  readonly #unlisted = new Set<Address>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'in') this.#heard(record);
    else if (record.k === 'end') this.#unlisted.delete(nameOf(record.a));
    else if (record.k === 'post' && record.ev.type === 'catalog.settled') this.#settled(record);
    else if (record.k === 'post' && (record.ev as Said<{ stage: string }>).stage === 'ready') {
      if (this.#unlisted.has(nameOf(record.from)))
        return { at: record.from, what: 'is ready, and has not been asked for its tools' };
    }
    return undefined;
  }
  /** Its list could not be had, and it may be of use without it. */
  #settled({ a, ev }: RecordOf<'post'>): void {
    if ((ev as Said<{ list: string }>).list === 'tools') this.#unlisted.delete(nameOf(a));
  }
  #heard({ a, ev }: RecordOf<'in'>): void {
    const { type, info } = ev as Said<{ info: { capabilities?: { tools?: unknown } } }>;
    if (type === 'ask.answered') {
      const server = a.includes('/catalog:tools#') ? serverIn(a) : undefined;
      if (server !== undefined) this.#unlisted.delete(server);
      return;
    }
    const client = nameOf(rootOf(a));
    if (info?.capabilities?.tools) this.#unlisted.add(client);
    else this.#unlisted.delete(client);
  }
}

const client = 'c/client:fs#1';
const opened = (tools: object | null) =>
  hears(`${client}/session#1`, 'session.opened', { info: { capabilities: { tools } } });
const listed = learns('c/client:fs/catalog:tools#1', 'list');
const isReady = posts(client, 'c#1', 'client.changed', { stage: 'ready' });

export const toolsBeforeReady: Invariant = {
  invariant: 'a server is ready only when its tools are known',
  why: 'Each session lists anew: what a server had before it went, or forgot its session, says nothing of now.',
  sees: ['in session.opened', 'in ask', 'post catalog.settled', 'post client.changed', 'end'],
  open: () => new ToolsBeforeReady(),
  violating: [
    { how: 'one that was not asked', seen: story(opened({}), isReady), said: 'has not been asked' },
    {
      how: 'one that was asked in the session before',
      seen: story(opened({}), listed, isReady, opened({}), isReady),
      said: 'has not been asked',
    },
  ],
  passing: [
    { how: 'one that was asked', seen: story(opened({}), listed, isReady) },
    {
      how: 'one whose list could not be had',
      seen: story(
        opened({}),
        posts('c/client:fs/catalog:tools#1', client, 'catalog.settled', { list: 'tools' }),
        isReady,
      ),
    },
    { how: 'one that has no tools', seen: story(opened(null), isReady) },
  ],
};
