import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { HttpRefusal, Script } from '../../stage/scripted/script.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import { after, hello, opensOf, reaches, stageOf, stagesOf } from '../../stage/watching.ts';

const tools = { read: { answers: hello, afterMs: 300 }, hang: { never: true } } as const;
const forgets: HttpRefusal = { status: 404 };
const remote = (script: Script, timing: HarnessOptions['timing'] = {}): HarnessOptions => ({
  servers: { fs: { tools, initialize: 50, listMs: 50, ...script } },
  options: { fs: { isRemote: true } },
  timing,
});

let forgotten = false;
const forgetting = remote({
  door: (method) => {
    const isIt = method === 'tools/call' && forgotten;
    if (isIt) forgotten = false;
    return isIt ? forgets : undefined;
  },
});
scenario('a call that meets a forgotten session is sent once more in the next one', forgetting, async (s) => {
  await s.up(1000);
  const inFlight = await after(s, 10, s.call('hang', { timeoutMs: 0 }));
  forgotten = true;
  const call = await after(s, 1000, s.call('read'));
  expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
  expect(inFlight.settled).toMatchObject([{ outcome: 'unknown', failure: { code: 'ServerLost' } }]);
  expect(s.servers.heard).toEqual(['call hang at fs', 'call read at fs']);
  expect(stageOf(s)).toBe('ready');
  expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
});

const oblivious = remote({ door: (method) => (method === 'tools/call' ? forgets : undefined) });
scenario('a call that meets a forgotten session each time fails unsent', oblivious, async (s) => {
  await s.up(1000);
  const call = await after(s, 1000, s.call('read'));
  expect(call.settled).toMatchObject([
    { outcome: 'failed', phase: 'queued', failure: { code: 'ServerLost', details: { http_status: 404 } } },
  ]);
  expect(s.servers.heard).toEqual([]);
  expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    stage: 'waiting',
    failure: { message: expect.stringMatching(/^Server 'fs': the server has forgotten this session/) },
  });
});

const forgetsCalls = () =>
  remote({
    door: (method) => (method === 'tools/call' ? forgets : undefined),
    later: { 2: { initialize: 'never' } },
  });
scenario('a call that was to be sent once more is over with its time, unsent', forgetsCalls(), async (s) => {
  await s.up(1000);
  const call = await after(s, 700, s.call('read', { timeoutMs: 500 }));
  expect(call.settled).toMatchObject([{ outcome: 'failed', phase: 'queued' }]);
});

const unknown = { code: 'ServerLost', message: 'no such session', details: { http_status: 404 } } as const;
const disowning: HarnessOptions = {
  ...remote({}, { exitGraceMs: 200 }),
  // A transport of a host can say so; ours ends its session.
  answering: (ask) => (from, request, emit) => {
    if (request.method !== 'tools/list') return ask(from, request, emit);
    emit({ type: 'ask.refused', id: request.id, sent: false, failure: unknown });
    return () => {};
  },
};
scenario('a first list of a session forgotten but alive fails its server soon', disowning, async (s) => {
  s.computer();
  await reaches(s, 'listing');
  await s.run(199);
  expect(stagesOf(s)).toEqual(['connecting']);
  await s.run(1);
  expect(stagesOf(s)).toMatchObject(['connecting', 'recovering', 'waiting']);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({ attempt: 1, failure: unknown });
});

/** The first one of each play is refused, because a scenario may be played twice. */
let refusals = 0;
const refusing = (retryAfter: number): Script => {
  return {
    meets: (moment) =>
      moment === 'initialize' && (refusals -= 1) >= 0
        ? { instead: { afterMs: 0, status: 503, retryAfter }, later: [] }
        : { later: [] },
  };
};
scenario('a server that says when to come back is tried again then', remote(refusing(80)), async (s) => {
  refusals = 1;
  await s.up(79_000);
  expect(stageOf(s)).toBe('waiting');
  expect(opensOf(s, 'fs', 'session')).toHaveLength(1);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    stage: 'waiting',
    nextTryMs: 120_000,
  });
  await s.run(42_000);
  expect(stageOf(s)).toBe('ready');
  expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
});
scenario('no server is left alone for over an hour at its word', remote(refusing(10 ** 8)), async (s) => {
  refusals = 1;
  await s.up(1_000);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    stage: 'waiting',
    nextTryMs: 5_400_000,
  });
});
