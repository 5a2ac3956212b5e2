import { Holding } from './holding.ts';
import type { Structural } from '../invariant.ts';
import {
  asks,
  clears,
  ends,
  fires,
  learns,
  opens,
  orders,
  posts,
  sets,
  story,
  tells,
  withdraws,
} from '../record-builders.ts';

const [client, call] = ['c/client:fs#1', 'c/client:fs/call:t1#1'];
const born = opens(client, 'client', 'c#1');
const fs = opens(client, 'client', 'c#1', { server: 'fs' });
const git = opens('c/client:git#2', 'client', 'c#1', { server: 'git' });
const wants = (server: string) => [
  orders('c', 'servers.set'),
  posts('host', 'c', 'servers.set', { servers: [{ rules: { server } }] }),
];
const session = (n: number) => tells('session', `${client}/session#${n}`, 'leaf.open');
const called = opens(call, 'call', client);
const read = opens('c/read:t1#1', 'read', 'c#1');
const reads = asks('c/read:t1#1', 'read', client, 'resources/read', { uri: 'window://h/1' });
const many = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const asked = (id: string) => asks(call, id, client, 'tools/call');
const values = asks(client, 'spec', 'spec', 'resolve');
const pinged = asks(client, 'ping', client, 'ping');
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { server: 'fs', stage });
const closed = tells('session', `${client}/session#1`, 'leaf.close');

export const bounded: Structural = {
  reads: 'inside',
  invariant: 'what a machine holds is bounded, and released when it ends',
  why: 'Timers, leaves, questions and owned machines do not grow with time, and none outlives its owner (bounded).',
  sees: [
    'in',
    'out ask',
    'out ask.withdraw',
    'out leaf.open',
    'out leaf.close',
    'post servers.set',
    'post client.changed',
    'timer',
    'open',
    'end',
  ],
  open: () => new Holding(),
  violating: [
    {
      how: 'a client that sets timers without end',
      seen: story(born, ...[1, 2, 3, 4].map((n) => sets(client, n, 5))),
      said: 'a client has 4 timers',
    },
    {
      how: 'a client with two sessions',
      seen: story(born, session(1), session(2)),
      said: 'a client has 2 leaves',
    },
    {
      how: 'a call that asks a person and its server at once',
      seen: story(born, called, asked('confirm'), asked('call')),
      said: 'a call has 2 questions',
    },
    {
      how: 'a client that asks for its values under two names',
      seen: story(born, session(1), values, asks(client, 'more', 'spec', 'resolve')),
      said: 'a client has 2 questions',
    },
    {
      how: 'a client that pings again before its ping is over',
      seen: story(born, session(1), pinged, pinged),
      said: 'a client has 2 pings and 1 leaves',
    },
    {
      how: 'a client that pings and has no session',
      seen: story(born, values, pinged),
      said: 'a client has 1 pings and 0 leaves',
    },
    {
      how: 'a ping that outlives its session, and still waits as the client starts again',
      seen: story(born, session(1), pinged, closed, values),
      said: 'a client has 1 pings and 0 leaves',
    },
    {
      how: 'a client that is stopped while somebody is asked for its values, and goes on asking',
      seen: story(born, session(1), becomes('ready'), values, closed, becomes('closing')),
      said: 'is closing, and keeps 1 questions',
    },
    {
      how: 'a client that rests and still pings',
      seen: story(born, session(1), pinged, closed, becomes('idle')),
      said: 'is idle, and keeps 1 questions',
    },
    {
      how: 'a ping that outlives its client',
      seen: story(born, session(1), pinged, closed, ends(client)),
      until: 'closed',
      said: 'ended and kept 0 leaves, 1 questions',
    },
    {
      how: 'a read that is asked again without end while hardly any time passes',
      seen: story(read, ...many(21).flatMap(() => [reads, learns('c/read:t1#1', 'read')])),
      said: 'reads window://h/1 21 times in a moment',
    },
    {
      how: 'a client with two processes',
      seen: story(
        born,
        opens('c/client:fs/process#2', 'process', client),
        opens('c/client:fs/process#3', 'process', client),
      ),
      said: 'a client has 2 roots of the kind process',
    },
    {
      how: 'a computer with more clients than servers',
      seen: story(opens('c#1', 'computer', 'host', { servers: [] }), born),
      said: 'a computer has 1 roots of the kind client',
    },
    {
      how: 'a computer that opens a server which is no longer in its config',
      seen: story(
        opens('c#1', 'computer', 'host', { servers: [{}] }),
        fs,
        ends(client),
        ...wants('git'),
        git,
        born,
      ),
      said: 'a computer has 2 roots of the kind client',
    },
    {
      how: 'a session that outlives its client',
      seen: story(born, session(1), ends(client), orders('c', 'close')),
      said: 'ended and kept 1 leaves, 0 questions',
    },
    {
      how: 'a question that outlives its call',
      seen: story(born, called, asked('call'), ends(call)),
      until: 'closed',
      said: 'ended and kept 0 leaves, 1 questions',
    },
  ],
  passing: [
    {
      how: 'one timer after another',
      seen: story(
        born,
        sets(client, 1, 5),
        sets(client, 2, 5),
        5,
        fires(client, 1),
        sets(client, 3, 5),
        clears(client, 2),
        sets(client, 4, 5),
      ),
    },
    {
      how: 'a server that is on its way down while another comes',
      seen: story(opens('c#1', 'computer', 'host', { servers: [{}] }), fs, ...wants('git'), git),
    },
    {
      how: 'one question after another',
      seen: story(born, called, asked('confirm'), learns(call, 'confirm'), asked('call')),
    },
    {
      how: 'a client that is pinged while somebody is asked for its values, again and again',
      seen: story(
        ...[born, session(1), values, pinged, 5, learns(client, 'ping'), pinged, 5],
        ...[learns(client, 'spec'), values, withdraws(client, 'ping'), pinged],
      ),
    },
    {
      how: 'questions that go with the session, and a client that starts again',
      seen: story(
        ...[born, becomes('connecting'), session(1), becomes('ready'), values, pinged, closed],
        ...[withdraws(client, 'ping'), withdraws(client, 'spec'), becomes('closing'), becomes('idle')],
        ...[values, becomes('connecting'), learns(client, 'spec', 'ask.refused'), becomes('open')],
      ),
    },
    {
      how: 'a read that is asked again and again, and time passes',
      seen: story(read, ...many(21).flatMap(() => [reads, learns('c/read:t1#1', 'read'), 10])),
    },
    {
      how: 'an end that lets go',
      seen: story(
        ...[born, session(1), called, asked('call'), ends(call), withdraws(call, 'call'), ends(client)],
        ...[closed, orders('c', 'close')],
      ),
      until: 'closed',
    },
    { how: 'a machine from before the first record', seen: story(session(1), session(2)), until: 'closed' },
  ],
};
