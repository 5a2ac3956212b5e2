import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { Found, Judge, Invariant, Said } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

type Fields = Said<{ server: string; failure: Failure | null; waits: object }>;

class WaitReasonTold implements Judge {
  /** By computer, by server: what its handshake waits for. */
  readonly #computers = new Map<Address, Map<string, object>>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open' && record.kind === 'computer') this.#computers.set(record.a, new Map());
    else if (record.k === 'end') this.#computers.delete(record.a);
    if (record.k !== 'post') return undefined;
    const { from, a, ev } = record;
    const { type, server = '', failure, waits } = ev as Fields;
    if (type === 'client.waits' && waits) this.#computers.get(a)?.set(server, waits);
    else if (type === 'client.changed') this.#computers.get(a)?.delete(server);
    else if (type === 'call.settled' && failure?.details?.['state'] === 'connecting') {
      const { servers = [], waits: told = [] } = failure.details as {
        servers?: readonly string[];
        waits?: readonly { readonly server: string }[];
      };
      const known = this.#computers.get(from);
      const untold = servers.filter((one) => known?.has(one) && !told.some((t) => t.server === one));
      if (untold.length > 0)
        return { at: from, what: `a call failed, and was not told what ${untold.join(', ')} waits for` };
    }
    return undefined;
  }
}

const born = opens('c#1', 'computer', 'host:c', {});
const waits = { for: 'initialize', since: '2026-11-23T05:00:00.000Z', came: '' };
const says = posts('c/client:fs#2', 'c#1', 'client.waits', { server: 'fs', waits });
const fails = (more: object = {}) =>
  posts('c#1', 'host:c', 'call.settled', {
    ticket: 't',
    failure: {
      code: 'ServerNotActive',
      message: 'x',
      details: { state: 'connecting', servers: ['fs'], ...more },
    },
  });
const ready = posts('c/client:fs#2', 'c#1', 'client.changed', { server: 'fs', stage: 'ready' });

export const waitReasonTold: Invariant = {
  invariant: 'a call that waited for a server in vain is told what the server waits for',
  why: 'Who is told that a server still starts can mend it only when it is told what is missing.',
  sees: ['open', 'end', 'post client.waits', 'post client.changed', 'post call.settled'],
  open: () => new WaitReasonTold(),
  violating: [
    {
      how: 'a failure that does not say it',
      seen: story(born, says, fails()),
      said: 'was not told what fs waits for',
    },
  ],
  passing: [
    {
      how: 'a failure that says it',
      seen: story(born, says, fails({ waits: [{ server: 'fs', ...waits }] })),
    },
    { how: 'a handshake that has just begun', seen: story(born, fails()) },
    { how: 'a handshake that is over', seen: story(born, says, ready, fails()) },
    { how: 'another computer', seen: story(born, says, ends('c#1'), fails()) },
  ],
};
