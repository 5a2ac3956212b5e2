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
import { asksOf, everything, stageOf } from '../../stage/watching.ts';

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
  'a server with windows and without tools shows them',
  {
    servers: {
      fs: {
        ...windows('window://h/1'),
        info: { capabilities: { ...everything, tools: null } },
      },
    },
  },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop');
    await s.run(1_000);
    expect(stageOf(s)).toBe('ready');
    expect(asksOf(s, 'resources/list')).toHaveLength(1);
  },
);
