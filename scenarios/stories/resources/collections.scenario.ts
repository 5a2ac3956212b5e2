import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import {
  answers,
  ask,
  collected,
  changes,
  document,
  documents,
  given,
  reads,
  showing,
  shown,
  windows,
  replyTo,
} from '../../stage/showing.ts';
import { asksOf, everything, stageOf } from '../../stage/watching.ts';
import { toolsOnly, type Act, type Script } from '../../stage/scripted/script.ts';
import { type Harness } from '../../stage/harness.ts';

const three = {
  servers: { a: windows('window://a/1'), b: windows('window://b/1', 'window://b/2?priority=9'), c: {} },
};
scenario('a Desktop has the windows of all; an unchanged one costs no question', three, async (s) => {
  await s.up(2_000);
  await collected(s, 'desktop');
  expect(shown(s)).toMatchObject({ missing: [], failure: null });
  expect(shown(s).body.desktops).toEqual([
    'window://a/1\n\nshown at window://a/1',
    'window://b/2?priority=9\n\nshown at window://b/2?priority=9',
    'window://b/1\n\nshown at window://b/1',
  ]);
  const asked = reads(s);
  await collected(s, 'desktop', { desktop_size: 1 });
  expect(answers(s)).toHaveLength(2);
  expect(shown(s).body.desktops).toHaveLength(1);
  expect(reads(s)).toEqual(asked);
});

const catalogue = { documents: [document('dpe://b/9', '2026-02-01T00:00:00Z')], total_count: 1 };
const catalogued = {
  servers: {
    a: documents('dpe://a/1', 'dpe://a/2'),
    b: showing(['dpe://b'], (uri) => given(uri, { text: JSON.stringify(catalogue) })),
  },
};
scenario('a Finder has the documents of all, and what is in a listed catalogue', catalogued, async (s) => {
  await s.up(2_000);
  await collected(s, 'finder', { limit: 2 });
  expect(shown(s).body.documents.map(({ uri }) => uri)).toEqual(['dpe://a/1', 'dpe://a/2']);
  expect(shown(s).body.total_count).toBe(3);
});

scenario('who asks before a server shows something is told so', { servers: { a: {} } }, async (s) => {
  await s.up(500);
  ask(s, 'desktop');
  await collected(s, 'finder', {}, 10);
  expect(answers(s).map(({ body }) => body)).toEqual([{ desktops: [] }, { documents: [], total_count: 0 }]);
});

const coalesced = { servers: { a: windows('window://a/1', 'window://a/2') }, timing: { coalesceMs: 200 } };
scenario('a change is told at once, then once a while; only that is read again', coalesced, async (s) => {
  await s.up(2_000);
  await collected(s, 'desktop', {}, 50);
  const [asked, told] = [reads(s), changes(s, 'desktop')];
  for (let n = 0; n < 5; n += 1) s.servers.update('a', 'window://a/1');
  await s.run(1);
  expect(changes(s, 'desktop')).toBe(told + 1);
  s.servers.update('a', 'window://a/1');
  s.servers.update('a', 'note://a/1');
  await s.run(500);
  expect(changes(s, 'desktop')).toBe(told + 2);
  expect(changes(s, 'finder')).toBe(0);
  await collected(s, 'desktop', {}, 50);
  expect(answers(s)).toHaveLength(2);
  expect(reads(s)).toBe(asked + 1);
});

const toolless = {
  servers: { fs: { ...windows('window://h/1'), info: { capabilities: { ...everything, tools: null } } } },
};
scenario('a server with windows and without tools shows them', toolless, async (s) => {
  await s.up(2_000);
  await collected(s, 'desktop', {}, 1_000);
  expect(stageOf(s)).toBe('ready');
  expect(asksOf(s, 'resources/list')).toHaveLength(1);
});

const capabilities = { ...toolsOnly, prompts: { listChanged: true } };
const prompting = (act: Act): Script => ({
  info: { capabilities },
  prompts: [{ name: 'window://greet' }],
  methods: { 'prompts/get': act },
});
const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];
const wants = (s: Harness): void => {
  const about = {
    collection: 'desktop',
    ticket: 'p',
    reqId: 'p',
    uri: 'window://greet',
    server: 'a',
    prompt: {},
  };
  s.order('computer', { type: 'resource.wanted', ...about, replyTo });
};
const noPrompt = expect.stringMatching(/did not answer with a prompt: messages/) as unknown;
for (const [what, answer, afterMs, is] of [
  ['is what its server fills in', { messages }, 1, { ticket: 'p', prompt: { messages }, failure: null }],
  [
    'that is no prompt is an error in words',
    { messages: 'hello' },
    1,
    { failure: { code: 500, message: noPrompt } },
  ],
  ['that does not come in time is an error', { messages }, 60_000, { failure: { code: 408 } }],
] as const)
  scenario(`a prompt ${what}`, { servers: { a: prompting({ answers: answer, afterMs }) } }, async (s) => {
    await s.up(2_000);
    wants(s);
    await s.run(s.timing.readMs);
    expect(s.heard('computer', 'resource.read')).toMatchObject([{ contents: [], ...is }]);
  });
