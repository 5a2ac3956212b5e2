import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import {
  answers,
  ask,
  changes,
  document,
  documents,
  reads,
  showing,
  shown,
  windows,
} from '../../stage/showing.ts';
import { announcedBy, everybody, until } from '../../stage/watching.ts';

scenario(
  'a Desktop has the windows of all servers that take part, and an unchanged one costs no server a question',
  { servers: { a: windows('window://a/1'), b: windows('window://b/1', 'window://b/2?priority=9'), c: {} } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop');
    await s.run(100);
    expect(shown(s)).toMatchObject({ missing: [], failure: null });
    expect(shown(s).body.desktops).toEqual([
      'window://a/1\n\nshown at window://a/1',
      'window://b/2?priority=9\n\nshown at window://b/2?priority=9',
      'window://b/1\n\nshown at window://b/1',
    ]);
    const asked = reads(s);
    ask(s, 'desktop', { desktop_size: 1 });
    await s.run(100);
    expect(answers(s)).toHaveLength(2);
    expect(shown(s).body.desktops).toHaveLength(1);
    expect(reads(s)).toEqual(asked);
  },
);

scenario(
  'a Finder has the documents of all servers, and a server that lists its catalogue alone has what is in it',
  {
    servers: {
      a: documents('dpe://a/1', 'dpe://a/2'),
      b: showing(['dpe://b'], (uri) => ({
        answers: {
          contents: [
            {
              uri,
              text: JSON.stringify({
                documents: [document('dpe://b/9', '2026-02-01T00:00:00Z')],
                total_count: 1,
              }),
            },
          ],
        },
        afterMs: 1,
      })),
    },
  },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'finder', { limit: 2 });
    await s.run(100);
    expect(shown(s).body.documents.map(({ uri }) => uri)).toEqual(['dpe://a/1', 'dpe://a/2']);
    expect(shown(s).body.total_count).toBe(3);
  },
);

scenario(
  'somebody who asks before any server shows something is told that there is nothing',
  { servers: { a: {} } },
  async (s) => {
    s.computer();
    await s.run(500);
    ask(s, 'desktop');
    ask(s, 'finder');
    await s.run(10);
    expect(answers(s).map(({ body }) => body)).toEqual([{ desktops: [] }, { documents: [], total_count: 0 }]);
  },
);

scenario(
  'a change is told at once, then at most once in each while, and what has changed is read again; no other',
  { servers: { a: windows('window://a/1', 'window://a/2') }, timing: { coalesceMs: 200 } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop');
    await s.run(50);
    const [asked, told] = [reads(s), changes(s, 'desktop')];
    for (let n = 0; n < 5; n += 1) s.servers.update('a', 'window://a/1');
    await s.run(1);
    expect(changes(s, 'desktop')).toBe(told + 1);
    s.servers.update('a', 'window://a/1');
    s.servers.update('a', 'note://a/1');
    await s.run(500);
    expect(changes(s, 'desktop')).toBe(told + 2);
    expect(changes(s, 'finder')).toBe(0);
    ask(s, 'desktop');
    await s.run(50);
    expect(answers(s)).toHaveLength(2);
    expect(reads(s)).toBe(asked + 1);
  },
);

scenario(
  'the death of a server and its return are each told once, and its windows go and come back',
  { servers: { a: windows('window://a/1'), b: windows('window://b/1') } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop');
    await s.run(300);
    const told = changes(s, 'desktop');
    s.servers.kill('a', { code: 1 });
    await until(s, () => changes(s, 'desktop') === told + 1);
    ask(s, 'desktop');
    await s.run(10);
    expect(shown(s).body.desktops).toEqual(['window://b/1\n\nshown at window://b/1']);
    await until(s, () => changes(s, 'desktop') === told + 2);
    ask(s, 'desktop');
    await s.run(100);
    expect(shown(s).body.desktops).toHaveLength(2);
    await s.run(5_000);
    expect(changes(s, 'desktop')).toBe(told + 2);
  },
);

scenario(
  'a question while it is collected waits for what has changed by then, and everybody is answered',
  {
    servers: {
      a: showing(['window://a/1'], (uri) => ({ answers: { contents: [{ uri, text: 'x' }] }, afterMs: 100 })),
    },
  },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop', {}, 't1');
    await s.run(50);
    s.servers.update('a', 'window://a/1');
    ask(s, 'desktop', {}, 't2');
    await s.run(1_000);
    expect(s.heard('computer', 'aggregate.shown').map(({ ticket }) => ticket)).toEqual(['t1', 't2']);
  },
);

scenario(
  'an office hears of each change of Desktop and Finder while the computer sits in it',
  { servers: { a: windows('window://a/1'), b: documents('dpe://b/1') } },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    await s.run(3_000);
    const [desktop, finder] = ['server:update_desktop', 'server:update_finder'];
    const before = [announcedBy(s, desktop).length, announcedBy(s, finder).length];
    s.servers.update('a', 'window://a/1');
    s.servers.update('b', 'dpe://b/1/pages/3');
    await s.run(1_000);
    const now = [announcedBy(s, desktop).length, announcedBy(s, finder).length];
    expect(now).toEqual(before.map((count) => count + 1));
  },
);

scenario(
  'an agent asks for Desktop, Finder and a resource over the office, and each answer has the id of its question',
  { servers: { a: windows('window://a/1'), b: documents('dpe://b/1') } },
  async (s) => {
    await everybody(s);
    await s.run(2_000);
    const query = (method: string, reqId: string, request: object): void =>
      s.order('agent', {
        type: 'agent.query',
        ticket: reqId,
        reqId,
        method,
        replyTo: 'host:agent',
        request: { computer: 'c1', ...request },
      });
    query('client:get_desktop', 'd', {});
    query('client:get_finder', 'f', { limit: 1 });
    query('client:read_resource', 'r', { uri: 'dpe://b/1' });
    query('client:read_resource', 'w', { uri: 'window://a/2' });
    await s.run(500);
    const acks = s
      .heard('agent', 'call.settled')
      .map(({ reqId, result, failure }) => [reqId, result ?? failure]);
    expect(Object.fromEntries(acks)).toMatchObject({
      d: { req_id: 'd', desktops: ['window://a/1\n\nshown at window://a/1'] },
      f: { req_id: 'f', total_count: 1, documents: [{ uri: 'dpe://b/1' }] },
      r: { req_id: 'r', contents: [{ uri: 'dpe://b/1' }] },
      w: { req_id: 'w', error: { code: 404 } },
    });
  },
);
