import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { nobodyLogsIn } from '../../stage/scripted/host-ports.ts';
import type { HttpRefusal, Script } from '../../stage/scripted/script.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import {
  asksOf,
  hello,
  offeredBy,
  opensOf,
  order,
  reaches,
  stageOf,
  stagesOf,
  stepOf,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello, afterMs: 300 }, hang: { never: true } } as const;
const forgets: HttpRefusal = { status: 404 };
const remote = (script: Script, timing: HarnessOptions['timing'] = {}): HarnessOptions => ({
  servers: { fs: { tools, initialize: 50, listMs: 50, ...script } },
  options: { fs: { isRemote: true } },
  timing,
});

scenario(
  'a session that expired is opened again, once, and its lists are asked for again',
  remote({}),
  async (s) => {
    s.computer();
    await s.run(1000);
    s.servers.expire('fs');
    const meanwhile = s.call('read');
    expect(meanwhile.settled).toEqual([]);
    await s.run(1000);
    expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
    expect(meanwhile.settled[0]?.outcome).toBe('succeeded');
    expect(s.servers.heard).toEqual(['call read at fs']);
    expect(stagesOf(s)).toEqual(['connecting', 'ready', 'connecting', 'ready']);
    expect(offeredBy(s)).toEqual(['read', 'hang']);
    expect(s.heard('computer', 'tools.changed')).toHaveLength(1);
  },
);

scenario(
  'a call in flight when its session expires is unknown, is not sent again, and nobody waits for it',
  remote({}),
  async (s) => {
    s.computer();
    await s.run(1000);
    const call = s.call('hang', { timeoutMs: 0 });
    await s.run(10);
    s.servers.expire('fs');
    await s.run(500);
    expect(call.settled).toMatchObject([{ outcome: 'unknown', failure: { code: 'ServerLost' } }]);
    expect(s.servers.heard).toEqual(['call hang at fs']);
  },
);

scenario(
  'a call that a person allows while its session is opened again waits for it, and is sent once',
  { ...remote({}), person: () => 'allow' },
  async (s) => {
    s.computer();
    await s.run(1000);
    const call = s.call('read');
    s.servers.expire('fs');
    await s.run(40);
    expect(stepOf(s)).toBe('handshaking');
    expect(call.settled).toEqual([]);
    expect(s.servers.heard).toEqual([]);
    await s.run(1000);
    expect(call.settled[0]?.outcome).toBe('succeeded');
    expect(s.servers.heard).toEqual(['call read at fs']);
  },
);

let forgotten = false;
scenario(
  'a call that meets a forgotten session is sent once more in the next one',
  remote({
    door: (method) => {
      const isIt = method === 'tools/call' && forgotten;
      if (isIt) forgotten = false;
      return isIt ? forgets : undefined;
    },
  }),
  async (s) => {
    s.computer();
    await s.run(1000);
    const inFlight = s.call('hang', { timeoutMs: 0 });
    await s.run(10);
    forgotten = true;
    const call = s.call('read');
    await s.run(1000);
    expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
    expect(inFlight.settled).toMatchObject([{ outcome: 'unknown', failure: { code: 'ServerLost' } }]);
    expect(s.servers.heard).toEqual(['call hang at fs', 'call read at fs']);
    expect(stageOf(s)).toBe('ready');
    expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
  },
);

scenario(
  'a call that meets a forgotten session each time fails unsent, and its server is in trouble with that reason',
  remote({ door: (method) => (method === 'tools/call' ? forgets : undefined) }),
  async (s) => {
    s.computer();
    await s.run(1000);
    const call = s.call('read');
    await s.run(1000);
    expect(call.settled).toMatchObject([
      { outcome: 'failed', phase: 'queued', failure: { code: 'ServerLost', details: { http_status: 404 } } },
    ]);
    expect(s.servers.heard).toEqual([]);
    expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
    expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
      stage: 'waiting',
      failure: { message: expect.stringMatching(/^Server 'fs': the server has forgotten this session/) },
    });
  },
);

const forgetsCalls = () =>
  remote({
    door: (method) => (method === 'tools/call' ? forgets : undefined),
    later: { 2: { initialize: 'never' } },
  });
scenario('a call that was to be sent once more is over with its time, unsent', forgetsCalls(), async (s) => {
  s.computer();
  await s.run(1000);
  const call = s.call('read', { timeoutMs: 500 });
  await s.run(700);
  expect(call.settled).toMatchObject([{ outcome: 'failed', phase: 'queued' }]);
});
scenario(
  'a call that was to be sent once more is over with its server, unsent',
  forgetsCalls(),
  async (s) => {
    s.computer();
    await s.run(1000);
    const call = s.call('read', { timeoutMs: 0 });
    await s.run(500);
    expect(call.settled).toEqual([]);
    order(s, 'server.stop');
    await s.run(5000);
    expect(call.settled).toMatchObject([{ outcome: 'failed', phase: 'queued' }]);
  },
);

let isNew = false;
const forgetsNew = (method: string): HttpRefusal | undefined => {
  const isIt = isNew && method === 'tools/list';
  isNew &&= !isIt;
  return isIt ? forgets : undefined;
};
scenario(
  'a first list that meets a forgotten session is no failure: the session is opened again, without a pause',
  remote({ door: forgetsNew }),
  async (s) => {
    isNew = true;
    s.computer();
    await s.run(500);
    expect(stageOf(s)).toBe('ready');
    expect(stagesOf(s)).toEqual(['connecting', 'ready']);
    expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
    expect(s.heard('computer', 'client.changed').map((e) => e.attempt)).toEqual([0, 0, 0]);
  },
);

const unknown = { code: 'ServerLost', message: 'no such session', details: { http_status: 404 } } as const;
scenario(
  'a first list whose session is said to be forgotten, and which lives on, is a failure of its server a moment later',
  {
    ...remote({}, { exitGraceMs: 200 }),
    // A transport of a host can say so; ours ends its session.
    answering: (ask) => (from, request, emit) => {
      if (request.method !== 'tools/list') return ask(from, request, emit);
      emit({ type: 'ask.refused', id: request.id, sent: false, failure: unknown });
      return () => {};
    },
  },
  async (s) => {
    s.computer();
    await reaches(s, 'listing');
    await s.run(199);
    expect(stagesOf(s)).toEqual(['connecting']);
    await s.run(1);
    expect(stagesOf(s)).toMatchObject(['connecting', 'recovering', 'waiting']);
    expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({ attempt: 1, failure: unknown });
  },
);

scenario(
  'a session that expires again before it proved itself is a failure, with a pause',
  remote({}, { provenStableMs: 5000 }),
  async (s) => {
    s.computer();
    await s.run(1000);
    s.servers.expire('fs');
    await s.run(1000);
    s.servers.expire('fs');
    await s.run(200);
    expect(stageOf(s)).toBe('waiting');
    expect(s.heard('computer', 'client.changed').at(-1)?.attempt).toBe(1);
    await s.run(1000 + 6000);
    expect(stageOf(s)).toBe('ready');
    s.servers.expire('fs');
    await s.run(1000);
    expect(stageOf(s)).toBe('ready');
    expect(stagesOf(s).filter((stage) => stage === 'waiting')).toHaveLength(1);
  },
);

scenario(
  'a handshake that fails after an expiry is a failure, and who waited is told',
  remote({ later: { 2: { initialize: 'error' } } }),
  async (s) => {
    s.computer();
    await s.run(1000);
    s.servers.expire('fs');
    const call = s.call('read');
    await s.run(100);
    expect(stageOf(s)).toBe('waiting');
    expect(call.settled[0]?.end).toBe('failed');
    await s.run(2000);
    expect(stageOf(s)).toBe('ready');
  },
);

scenario(
  'a server that cannot be reached is tried again, and one that hangs up is too',
  remote({}),
  async (s) => {
    s.computer();
    await s.run(1000);
    s.servers.breakStream('fs');
    await s.run(600);
    expect(stageOf(s)).toBe('waiting');
    expect(offeredBy(s)).toEqual([]);
    await s.run(2000);
    expect(stageOf(s)).toBe('ready');
    expect(offeredBy(s)).toEqual(['read', 'hang']);
  },
);

scenario(
  'a server that wants other credentials is logged in to where somebody can, says what to do, and is not tried by itself',
  remote({ initialize: { status: 401 } }, { trialMs: 1000 }),
  async (s) => {
    s.computer();
    await s.run(600_000);
    expect(stagesOf(s)).toEqual(['connecting', 'recovering', 'authorizing', 'unauthorized']);
    expect(opensOf(s, 'fs', 'session')).toHaveLength(1);
    expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
      failure: nobodyLogsIn('fs'),
      nextTryMs: null,
    });
    order(s, 'server.start');
    await s.run(1000);
    expect(stageOf(s)).toBe('unauthorized');
    expect(s.heard('computer', 'client.changed').at(-1)?.failure).toEqual(nobodyLogsIn('fs'));
    expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
  },
);

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
scenario(
  'a server that says when to come back is tried again then, and not before',
  remote(refusing(80)),
  async (s) => {
    refusals = 1;
    s.computer();
    await s.run(79_000);
    expect(stageOf(s)).toBe('waiting');
    expect(opensOf(s, 'fs', 'session')).toHaveLength(1);
    expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
      stage: 'waiting',
      nextTryMs: 120_000,
    });
    await s.run(42_000);
    expect(stageOf(s)).toBe('ready');
    expect(opensOf(s, 'fs', 'session')).toHaveLength(2);
  },
);
scenario(
  'no server is left alone for longer than an hour because it says so',
  remote(refusing(10 ** 8)),
  async (s) => {
    refusals = 1;
    s.computer();
    await s.run(1_000);
    expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
      stage: 'waiting',
      nextTryMs: 5_400_000,
    });
  },
);
