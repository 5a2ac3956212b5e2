import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Judge, Invariant, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { opens, posts, story, tells } from '../record-builders.ts';

function open(): Judge {
  /** Who has asked for a turn and has none, by name. */
  const waiting = new Set<Address>();
  return {
    take(record) {
      if (record.k === 'out') {
        if (!waiting.has(serverIn(record.a) ?? '')) return undefined;
        return { at: record.a, what: 'was launched before it had its turn' };
      }
      if (record.k === 'end') waiting.delete(nameOf(record.a));
      if (record.k !== 'post') return undefined;
      const { type, stage } = record.ev as Said<{ stage: string }>;
      if (type === 'permit.wanted') waiting.add(nameOf(record.from));
      else if (type === 'permit.granted') waiting.delete(nameOf(record.a));
      else if (stage !== 'connecting') waiting.delete(nameOf(record.from));
      return undefined;
    },
  };
}

const client = 'c/client:fs#1';
const born = opens(client, 'client', 'c#1');
const wants = posts(client, 'c#1', 'permit.wanted', { server: 'fs' });
const has = posts('c#1', 'c/client:fs', 'permit.granted');
const launched = tells('process', 'c/client:fs/process#1/process#1', 'leaf.open');
const connected = tells('session', `${client}/session#1`, 'leaf.open');

export const launchedWithPermit: Invariant = {
  invariant: 'a server is launched only when it has a permit',
  why: 'Who does not wait makes permits worth nothing: a hundred servers would start in one moment.',
  sees: [
    ...(['out leaf.open', 'post permit.wanted', 'post permit.granted', 'post client.changed'] as const),
    'end',
  ],
  open,
  violating: [
    { how: 'one that does not wait', seen: story(born, wants, launched), said: 'before it had its turn' },
    { how: 'one without a process', seen: story(born, wants, connected), said: 'before it had its turn' },
  ],
  passing: [
    { how: 'one that waits', seen: story(born, wants, 100, has, launched, connected) },
    {
      how: 'a session that is renewed',
      seen: story(born, wants, has, connected, 100, tells('session', `${client}/session#2`, 'leaf.open')),
    },
    {
      how: 'another server',
      seen: story(born, wants, tells('process', 'c/client:git/process#1/process#1', 'leaf.open')),
    },
  ],
};
