import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Script } from '../../stage/scripted/script.ts';
import type { Harness, HarnessOptions } from '../../stage/harness.ts';
import { nobodyLogsIn } from '../../stage/scripted/host-ports.ts';
import { after, asksOf, hello, kept, order, stageAfter, stageOf, stagesOf } from '../../stage/watching.ts';

const tools = { read: { answers: hello } } as const;
const refuses = { status: 401 } as const;
const wanting: Script = { tools, initialize: refuses, later: { 2: { initialize: undefined } as never } };
const remote = (script: Script): HarnessOptions => ({
  servers: { fs: script },
  options: { fs: { isRemote: true } },
});
const shown = async (s: Harness): Promise<Harness['callPorts']['logins']> => {
  const { logins } = s.callPorts;
  logins.hasPerson = true;
  await s.up(100);
  expect(stageOf(s)).toBe('authorizing');
  logins.show('fs');
  expect(await stageAfter(s, 10)).toBe('unauthorized');
  return logins;
};
const lastFailure = (s: Harness, server = 'fs'): unknown =>
  s.heard('computer', 'client.changed').findLast((e) => e.server === server)?.failure;

scenario('a server that wants a login is connected once a person agrees', remote(wanting), async (s) => {
  const logins = await shown(s);
  expect(lastFailure(s)).toMatchObject({
    code: 'Unauthorized',
    message: "Server 'fs' waits for a person to log in at https://as.test",
  });
  expect(await stageAfter(s, 3_600_000)).toBe('unauthorized');
  logins.comesBack('fs');
  expect(await stageAfter(s, 10)).toBe('authorizing');
  logins.agrees('fs');
  expect(await stageAfter(s, 1000)).toBe('ready');
  expect(stagesOf(s)).toEqual([
    'connecting',
    'recovering',
    'authorizing',
    'unauthorized',
    'authorizing',
    'connecting',
    'ready',
  ]);
});
scenario('a login that needs no person is none that anybody is asked for', remote(wanting), async (s) => {
  s.callPorts.logins.hasPerson = true;
  await s.up(100);
  s.callPorts.logins.agrees('fs');
  expect(await stageAfter(s, 1000)).toBe('ready');
  expect(stagesOf(s).includes('unauthorized')).toBe(false);
});
const lazy = {
  servers: { fs: wanting },
  options: { fs: { isRemote: true, isLazy: true, kept: kept('read') } },
};
scenario('a call that starts a server is told at once when it wants a login, unsent', lazy, async (s) => {
  s.callPorts.logins.hasPerson = true;
  await s.up(1000);
  expect(stageOf(s)).toBe('standby');
  const call = s.call('read');
  expect(call.settled).toEqual([]);
  expect(await stageAfter(s, 100)).toBe('authorizing');
  expect(call.settled).toMatchObject([{ outcome: 'failed', failure: { code: 'Unauthorized' } }]);
  expect(asksOf(s, 'tools/call')).toEqual([]);
});
scenario('a stop while a person is waited for withdraws the question', remote(wanting), async (s) => {
  const logins = await shown(s);
  order(s, 'server.stop');
  expect(await stageAfter(s, 100)).toBe('idle');
  expect(logins.isAsked('fs')).toBe(false);
});
scenario('a new config ends a login that was for the old one', remote(wanting), async (s) => {
  const logins = await shown(s);
  s.config({ fs: { isRemote: true, generation: 2 } });
  expect(await stageAfter(s, 1000)).toBe('ready');
  expect(logins.isAsked('fs')).toBe(false);
});
const expired: Script = { tools, later: { 2: { initialize: refuses } } };
scenario('a call fails at once in every step of a login; nothing changes it', remote(expired), async (s) => {
  const { logins } = s.callPorts;
  logins.hasPerson = true;
  await s.up(1000);
  order(s, 'server.stop');
  order(s, 'server.start');
  await s.run(1000);
  const steps = [() => {}, () => logins.show('fs'), () => logins.refuses('fs')];
  const stages = ['authorizing', 'unauthorized', 'unauthorized'];
  for (const [n, step] of steps.entries()) {
    step();
    const call = s.call('read');
    if (n < 2) order(s, 'server.start');
    s.config({ fs: { isRemote: true, budget: 7 + n } });
    await s.run(10);
    expect(call.settled).toMatchObject([{ outcome: 'failed', failure: { code: 'Unauthorized' } }]);
    expect(stageOf(s)).toBe(stages[n]);
  }
  expect(lastFailure(s)).toEqual(nobodyLogsIn('fs'));
});

let isRevoked = false;
const revocable: Script = {
  tools: { ...tools, hang: { never: true } },
  door: () => (isRevoked ? refuses : undefined),
};
scenario('a login revoked in mid-call is asked for; each call is answered', remote(revocable), async (s) => {
  const { logins } = s.callPorts;
  logins.hasPerson = true;
  isRevoked = false;
  await s.up(1000);
  const hanging = await after(s, 10, s.call('hang'));
  isRevoked = true;
  const refused = await after(s, 10, s.call('read'));
  expect(refused.settled).toMatchObject([{ outcome: 'failed', failure: { code: 'Unauthorized' } }]);
  expect(hanging.settled).toMatchObject([{ outcome: 'unknown' }]);
  expect(stageOf(s)).toBe('authorizing');
  expect(lastFailure(s)).toMatchObject({
    code: 'Unauthorized',
    message: expect.stringContaining(
      "Server 'fs' no longer takes its login: the server wants a login (HTTP 401)",
    ),
  });
  isRevoked = false;
  logins.agrees('fs');
  await s.run(1000);
  const again = await after(s, 100, s.call('read'));
  expect(again.settled).toMatchObject([{ outcome: 'succeeded' }]);
  expect(asksOf(s, 'tools/call')).toHaveLength(3);
  expect(stagesOf(s).includes('waiting')).toBe(false);
});

const both = {
  servers: { fs: wanting, db: wanting },
  options: { fs: { isRemote: true }, db: { isRemote: true } },
};
scenario('two servers that want a login at once are asked for one by one', both, async (s) => {
  const { logins } = s.callPorts;
  logins.hasPerson = true;
  await s.up(100);
  const stages = (): readonly unknown[] => [stageOf(s), stageOf(s, 'db')];
  logins.show('fs');
  logins.show('db');
  await s.run(10);
  expect(stages()).toEqual(['unauthorized', 'unauthorized']);
  logins.agrees('db');
  await s.run(1000);
  expect(stages()).toEqual(['unauthorized', 'ready']);
  logins.refuses('fs');
  await s.run(1000);
  expect(stages()).toEqual(['unauthorized', 'ready']);
  expect(lastFailure(s)).toEqual(nobodyLogsIn('fs'));
});
