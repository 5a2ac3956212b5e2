import { join } from 'node:path';
import type { World } from './world.ts';

type Wait = (ms: number) => Promise<unknown>;
export interface Story {
  readonly title: string;
  /** `dir` is a folder for counters of servers. */
  servers(dir: string): Readonly<Record<string, object>>;
  act(world: World, random: () => number, wait: Wait): Promise<void>;
}
const tools = { read: { takes: 20 }, slow: { takes: 400 }, hang: {} };
const quiet = [{ fault: 'rpc.never', tool: 'hang' }];
const servers = (dir: string) => ({
  files: { tools, faults: quiet },
  flaky: {
    tools: { toss: { takes: 10 } },
    seed: 7,
    starts: join(dir, 'flaky.starts'),
    faults: [
      { fault: 'proc.exit', code: 3, when: 'call', p: 0.04 },
      { fault: 'frame.garbageLine', p: 0.1 },
      { fault: 'rpc.duplicate', p: 0.1 },
      { fault: 'rpc.isError', p: 0.1 },
    ],
  },
  stubborn: {
    tools: { dig: { takes: 30 } },
    faults: [{ fault: 'proc.ignoreStdinClose' }, { fault: 'proc.ignoreSigterm' }],
  },
});
const names = ['files', 'flaky', 'stubborn'] as const;
const toolNames = ['read', 'slow', 'hang', 'toss', 'dig'] as const;
const anyOf = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

async function moment(
  world: World,
  random: () => number,
  wait: Wait,
  all: Promise<unknown>[],
): Promise<void> {
  const chance = random();
  if (chance < 0.03) world.kill(anyOf(random, names), anyOf(random, ['SIGKILL', 'SIGTERM']));
  else if (chance < 0.05)
    // A server that is starting or stopping refuses the order, which is recorded too.
    all.push(world.computer.servers.restart(anyOf(random, names)).catch(() => undefined));
  else {
    const aborter = new AbortController();
    const tool = anyOf(random, toolNames);
    const how = { signal: aborter.signal, timeoutMs: anyOf(random, [100, 500, 2_000]) };
    const params = { n: Math.floor(random() * 1_000), password: 'correct horse battery' };
    all.push(
      random() < 0.5
        ? world.computer.callTool(tool, params, how)
        : world.agent.callTool('c1', tool, params, how),
    );
    if (random() < 0.2) {
      await wait(random() * 60);
      aborter.abort();
    }
  }
  await wait(random() * 250);
}

export const stories: Readonly<Record<string, Story>> = {
  minute: {
    title: 'a minute of calls, cancels, time-outs, deaths and an office that restarts',
    servers,
    act: async (world, random, wait) => {
      const all: Promise<unknown>[] = [];
      const end = performance.now() + 60_000;
      let hasRestarted = false;
      while (performance.now() < end) {
        await moment(world, random, wait, all);
        if (hasRestarted || end - performance.now() > 30_000) continue;
        hasRestarted = true;
        await world.restartOffice();
      }
      await Promise.all(all);
    },
  },
  'death-in-mid-call': {
    title: 'a server is killed while three calls wait for it',
    servers,
    act: async (world, _random, wait) => {
      const calls = ['slow', 'hang', 'slow'].map((tool) => world.agent.callTool('c1', tool));
      const areSent = (): boolean => {
        const running = world.computer.calls();
        const isUp = world.computer.status().servers.every(({ state }) => state === 'ready');
        return isUp && running.length === calls.length && running.every(({ phase }) => phase === 'running');
      };
      for (let tries = 0; tries < 2_000 && !areSent(); tries++) await wait(5);
      world.kill('files', 'SIGKILL');
      await Promise.all(calls);
      await wait(500);
      await world.agent.callTool('c1', 'read');
    },
  },
  'call-after-a-loss': {
    title: 'a call that comes while its server is down is held, and answered by the next one',
    servers,
    act: async (world, _random, wait) => {
      const isDown = (): boolean => world.computer.status().servers.some(({ state }) => state === 'waiting');
      await world.computer.callTool('read');
      world.kill('files', 'SIGKILL');
      for (let tries = 0; tries < 500 && !isDown(); tries++) await wait(5);
      await world.computer.callTool('read', { n: 2 });
      await world.agent.callTool('c1', 'read', { n: 3 });
    },
  },
  'cancel-and-time-out': {
    title: 'calls are cancelled and time out, and their server goes on',
    servers,
    act: async (world) => {
      const aborter = new AbortController();
      const hung = world.agent.callTool('c1', 'hang', {}, { signal: aborter.signal });
      await world.agent.callTool('c1', 'hang', {}, { timeoutMs: 100 });
      aborter.abort();
      await hung;
      await world.agent.callTool('c1', 'read', { token: 'tell nobody' });
    },
  },
  'office-restart': {
    title: 'the office goes in mid-call and another opens at its address',
    servers,
    act: async (world, _random, wait) => {
      const call = world.agent.callTool('c1', 'slow');
      await wait(50);
      await world.restartOffice();
      await call;
      const isBack = (): boolean => world.agent.status().computers.includes('c1');
      for (let tries = 0; tries < 50 && !isBack(); tries++) await wait(50);
      await world.agent.callTool('c1', 'read');
    },
  },
  'crash-loop': {
    title: 'a server dies at each of its first four starts, then lives',
    servers: (dir) => ({
      loop: {
        tools: { read: {} },
        starts: join(dir, 'loop.starts'),
        faults: [{ fault: 'proc.crashLoop', n: 4, code: 9 }],
      },
    }),
    act: async (world, _random, wait) => {
      const isReady = (): boolean => world.computer.status().servers.every(({ state }) => state === 'ready');
      for (let tries = 0; tries < 100 && !isReady(); tries++) await wait(50);
      await world.computer.callTool('read');
    },
  },
};
