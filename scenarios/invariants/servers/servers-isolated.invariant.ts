import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { ends, fires, hears, orders, story, tells } from '../record-builders.ts';

const isEnding = (type: string): boolean =>
  type === 'child.closeStdin' || type === 'child.signal' || type === 'leaf.close';

class ServersIsolated implements Judge {
  /** Where the input came in; empty when it was no server's. */
  #cause: Address = '';

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'in') this.#cause = record.via === 'host' || record.via === 'abandon' ? '' : record.a;
    else if (record.k === 'out') return this.#out(record);
    else if (record.k === 'end') return this.#unlessOwn(record.a, 'ended');
    return undefined;
  }
  #out({ port, a, ev: { type } }: RecordOf<'out'>): Found | undefined {
    if ((port !== 'process' && port !== 'session') || !isEnding(type)) return undefined;
    return this.#unlessOwn(a, `had a ${type}`);
  }
  #unlessOwn(a: Address, what: string): Found | undefined {
    const cause = serverIn(this.#cause);
    if (cause === undefined) return undefined;
    const whose = serverIn(a);
    return whose === undefined || whose === cause
      ? undefined
      : { at: a, what: `${what} because of ${cause}` };
  }
}

const fs = (rest: string): Address => `c/client:fs${rest}`;
const git = (rest: string): Address => `c/client:git${rest}`;
const died = hears(fs('/process#1/process#1'), 'child.exited', { code: 1, left: 0 });

/** Whatever comes from one server, its process, its session, its timers or its calls, ends nothing of another. */
export const serversIsolated: Invariant = {
  invariant: 'no event of one server ends anything of another server',
  why: 'One bad server never stops another (no-error-escape).',
  sees: ['in', 'out child.closeStdin', 'out child.signal', 'out leaf.close', 'end'],
  open: () => new ServersIsolated(),
  violating: [
    {
      how: 'a computer that stops all servers with the first that dies',
      seen: story(died, tells('process', git('/process#1/process#1'), 'child.closeStdin')),
      said: 'had a child.closeStdin because of c/client:fs',
    },
    {
      how: 'a session that takes another with it',
      seen: story(died, tells('session', git('#1/session#1'), 'leaf.close')),
      said: 'had a leaf.close because of c/client:fs',
    },
    {
      how: 'a time-out that ends a call of another server',
      seen: story(fires(fs('#1'), 1), ends(git('/call:t1#1'))),
      said: 'ended because of c/client:fs',
    },
  ],
  passing: [
    {
      how: 'a server that ends with all that is its own',
      seen: story(died, tells('session', fs('#1/session#1'), 'leaf.close'), ends(fs('/call:t1#1'))),
    },
    {
      how: 'an order that ends all',
      seen: story(died, orders('c', 'close'), ends(fs('#1')), ends(git('#1'))),
    },
    { how: 'the last of a computer', seen: story(died, ends(fs('#1')), ends('c#1')) },
  ],
};
