import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, Harness } from '../../stage/harness.ts';
import { after, everybody } from '../../stage/watching.ts';
import { toolsOnly, type Script } from '../../stage/scripted/script.ts';

const capabilities = { ...toolsOnly, resources: { listChanged: true, subscribe: false } };
const note = (n: number): object => ({
  uri: `notes://${n}`,
  name: `note ${n}`,
  mimeType: 'text/plain',
  size: n,
  title: 'not on the wire',
  annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
});
const notes = (count: number, more: Partial<Script> = {}): Script => ({
  info: { capabilities },
  resources: Array.from({ length: count }, (_, n) => note(n)),
  ...more,
});
const never: Partial<Script> = { methods: { 'resources/list': { never: true } } };

const ask = (s: Harness, server: string, cursor?: string): AskedCall =>
  s.query('client:get_resources', { computer: 'c1', mcp_server: server, ...(cursor && { cursor }) });
interface Body {
  readonly resources?: readonly { readonly uri: string }[];
  readonly next_cursor?: string;
}
const bodyOf = (asked: AskedCall): Body => asked.settled[0]?.result as Body;
const noted = { servers: { s: notes(230) } };
scenario('an agent gets the resources of a server page by page, each once', noted, async (s) => {
  await everybody(s);
  const uris: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 3; pages += 1) {
    const body = bodyOf(await after(s, 50, ask(s, 's', cursor)));
    uris.push(...(body.resources ?? []).map(({ uri }) => uri));
    cursor = body.next_cursor;
  }
  expect(uris).toEqual(Array.from({ length: 230 }, (_, n) => `notes://${n}`));
  expect(cursor).toBeUndefined();
  expect(bodyOf(await after(s, 50, ask(s, 's'))).resources?.[7]).toEqual({
    uri: 'notes://7',
    name: 'note 7',
    mime_type: 'text/plain',
    size: 7,
    annotations: { audience: ['user'], priority: 1, last_modified: '2026-01-01T00:00:00Z' },
  });
});

const heavy = {
  servers: {
    s: notes(0, { resources: [1, 2, 3].map((n) => ({ ...note(n), description: 'x'.repeat(n * 150_000) })) }),
  },
};
scenario('large resources come on more pages, one beyond a page comes alone', heavy, async (s) => {
  await everybody(s);
  const first = bodyOf(await after(s, 50, ask(s, 's')));
  const second = bodyOf(await after(s, 50, ask(s, 's', first.next_cursor)));
  const third = bodyOf(await after(s, 50, ask(s, 's', second.next_cursor)));
  expect([first, second, third].map(({ resources }) => resources?.length)).toEqual([1, 1, 1]);
  expect(third.next_cursor).toBeUndefined();
});

const another = { servers: { s: notes(1), plain: {} } };
scenario('unknown servers, servers without resources and old cursors are refused', another, async (s) => {
  await everybody(s);
  const asked = await after(s, 50, [ask(s, 'nobody'), ask(s, 'plain'), ask(s, 's', 'notes://gone')]);
  expect(asked.map(({ settled: [answer] }) => answer?.result)).toMatchObject([
    { code: 4014, mcp_server: 'nobody', error: { code: 4014 } },
    { code: 4015, mcp_server: 'plain', capability: 'resources' },
    { code: 400, details: { reason: 'invalid_cursor' } },
  ]);
});

const starting = { servers: { s: notes(1, { initialize: 1_000 }) } };
scenario('a question for the resources of a server that starts waits for its list', starting, async (s) => {
  await everybody(s);
  const asked = await after(s, 2_000, ask(s, 's'));
  expect(asked.settled).toMatchObject([{ result: { resources: [{ uri: 'notes://0' }] } }]);
});

const missing = { servers: { s: notes(1, never) }, timing: { toolsMs: 1_000, listMs: 60_000 } };
scenario('a list that does not come is waited for until a time-out or a close', missing, async (s) => {
  await everybody(s);
  const first = await after(s, s.timing.toolsMs - 100, ask(s, 's'));
  expect(first.settled).toEqual([]);
  await s.run(200);
  expect(first.settled[0]?.result).toMatchObject({ code: 408 });
  const second = await after(s, 20, ask(s, 's'));
  s.close('computer');
  const wanted = { type: 'resources.wanted', ticket: 't', reqId: 'r', server: 's', replyTo: 'host:computer' };
  s.order('computer', wanted);
  await s.run(20);
  expect(second.settled).toHaveLength(1);
  expect(s.heard('computer', 'resources.shown')).toMatchObject([{ failure: { code: 'ServerNotActive' } }]);
});

const refusing = {
  servers: { s: notes(1, { methods: { 'resources/list': { errors: 'disk full' } } }), other: notes(1) },
};
scenario('a list that is refused is told with its reason, a stopped server as such', refusing, async (s) => {
  await everybody(s);
  const failed = await after(s, 50, ask(s, 's'));
  expect(failed.settled[0]?.result).toMatchObject({
    code: 4003,
    message: expect.stringContaining('disk full'),
  });
  s.order('computer', { type: 'server.stop', server: 'other' });
  await s.run(5_000);
  const stopped = await after(s, 50, ask(s, 'other'));
  expect(stopped.settled[0]?.result).toMatchObject({ code: 4003, details: { reason: 'ServerNotActive' } });
});
