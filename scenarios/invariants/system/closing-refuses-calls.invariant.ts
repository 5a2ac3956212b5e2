import type { Address } from '../../../machines/kernel/address.ts';
import type { Judge, Invariant, Said } from '../invariant.ts';
import { ends, opens, posts, story } from '../record-builders.ts';

function open(): Judge {
  const closing = new Set<Address>();
  return {
    take(record) {
      if (record.k === 'end') closing.delete(record.a);
      else if (record.k === 'open') {
        if (record.kind === 'call' && closing.has(record.from))
          return { at: record.a, what: 'was taken by a server on its way down' };
      } else if (record.k === 'post') {
        if ((record.ev as Said<{ stage: string }>).stage === 'closing') closing.add(record.from);
        else closing.delete(record.from);
      }
      return undefined;
    },
  };
}

const client = 'c/client:fs#1';
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { stage });
const called = opens('c/client:fs/call:t1#1', 'call', client);

export const closingRefusesCalls: Invariant = {
  invariant: 'a closing server takes no calls',
  why: 'It finishes what it has, and what comes now is answered at once: it would be cancelled in a moment.',
  sees: ['open', 'end', 'post client.changed'],
  open,
  violating: [
    {
      how: 'one that is taken all the same',
      seen: story(becomes('ready'), becomes('closing'), 10, called),
      said: 'on its way down',
    },
  ],
  passing: [
    { how: 'one that came before', seen: story(becomes('ready'), called, becomes('closing')) },
    { how: 'a server that came back', seen: story(becomes('closing'), becomes('connecting'), called) },
    { how: 'whoever came after it', seen: story(becomes('closing'), ends(client), called) },
  ],
};
