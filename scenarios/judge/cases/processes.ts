import { setTimeout as sleep } from 'node:timers/promises';
import type { Cases } from '../judge.ts';
import { endProcess, type Marked } from '../processes.ts';
import { knownMs, type Faulty, type Stage } from '../stage.ts';
import { judged, say, sayLeft } from './words.ts';

const deaf = { fault: 'proc.ignoreStdinClose' };
/** It ignores the end of its input and SIGTERM, with a grandchild that holds its pipes and ignores them, too. */
const worst = {
  faults: [
    deaf,
    { fault: 'proc.ignoreSigterm' },
    { fault: 'proc.zombieGrandchild', holdsPipes: true, ignoresSigterm: true },
  ],
};
const isServer = ({ command }: Marked): boolean => command.includes('fault-server');

async function stopped(stage: Stage, config: Faulty, wrapped = false) {
  await stage.start(config, { wrapped });
  const call = await stage.call();
  const before = stage.processes().length;
  const stop = await stage.ask('stop');
  const left = await stage.left();
  const facts = `call ${say(call)}; ${before} processes; stop ${say(stop)}; ${sayLeft(left)}`;
  return { isOver: call.ok && !stop.isLate, left, facts };
}
async function ended(stage: Stage, config: Faulty, signal: NodeJS.Signals) {
  await stage.start(config, { wrapped: true });
  const call = await stage.call();
  const before = stage.processes().length;
  stage.host.signal(signal);
  const left = await stage.left(knownMs);
  return judged(
    call.ok && left.length === 0,
    false,
    `call ${say(call)}; ${before} processes; ${sayLeft(left)}`,
  );
}

export const processes: Cases = {
  clean: {
    rule: 'start, call, list, stop; nothing is left',
    spec: 'basic/lifecycle#shutdown',
    play: async (stage) => {
      const start = await stage.start({});
      const call = await stage.call();
      const list = await stage.ask('tools');
      const stop = await stage.ask('stop');
      const left = await stage.left();
      const isWell = start.ok && call.ok && stop.ok && call.text?.includes('hi') === true;
      const hasTool = list.tools?.some((name) => name.includes('read')) === true;
      const facts = `start ${say(start)}; call ${say(call)}; stop ${say(stop)}; ${sayLeft(left)}`;
      return judged(isWell && hasTool && left.length === 0, false, facts);
    },
  },
  wrapped: {
    rule: 'a server behind a shell, deaf to the end of its input: nothing is left after stop',
    // It speaks of the child process alone, and that is the shell.
    spec: null,
    play: async (stage) => {
      const { isOver, left, facts } = await stopped(stage, { faults: [deaf] }, true);
      return judged(isOver && left.length === 0, false, facts);
    },
  },
  grandchild: {
    rule: 'a process that the server started is ended, too; partly: it alone is left',
    spec: null,
    play: async (stage) => {
      const { isOver, left, facts } = await stopped(stage, { faults: [{ fault: 'proc.zombieGrandchild' }] });
      return judged(isOver && left.length === 0, isOver && !left.some(isServer), facts);
    },
  },
  grandchildPipes: {
    rule: 'as before, while it holds the pipes of the server',
    spec: null,
    play: async (stage) => {
      const config = { faults: [{ fault: 'proc.zombieGrandchild', holdsPipes: true }] };
      const { isOver, left, facts } = await stopped(stage, config);
      return judged(isOver && left.length === 0, isOver && !left.some(isServer), facts);
    },
  },
  stubborn: {
    rule: 'deaf to the end of its input and to SIGTERM: dead after stop',
    spec: 'basic/lifecycle#stdio',
    play: async (stage) => {
      const { isOver, left, facts } = await stopped(stage, {
        faults: [deaf, { fault: 'proc.ignoreSigterm' }],
      });
      return judged(isOver && left.length === 0, false, facts);
    },
  },
  slowEnd: {
    rule: 'saves for one second after the end of its input: has saved after stop; partly: a signal came only after that end',
    spec: 'basic/lifecycle#stdio',
    play: async (stage) => {
      const config = { faults: [{ fault: 'proc.slowExit', when: 'stdinEnd', ms: 1_000 }] };
      const { isOver, left, facts } = await stopped(stage, config);
      const hasSaved = stage.did('saved');
      const was = stage.log().filter(({ got }) => got === 'stdin.end' || got === 'SIGTERM');
      const said = `${was.map(({ got }) => got).join(', then ')}; ${hasSaved ? 'saved' : 'NOT saved'}`;
      const isAsked = was[0]?.got === 'stdin.end';
      return judged(
        isOver && hasSaved && left.length === 0,
        isOver && isAsked && left.length === 0,
        `${facts}; ${said}`,
      );
    },
  },
  stopWorst: {
    rule: 'a shell, a server deaf to everything, a deaf grandchild that holds the pipes: nothing is left after stop',
    spec: null,
    play: async (stage) => {
      const { isOver, left, facts } = await stopped(stage, worst, true);
      return judged(isOver && left.length === 0, false, facts);
    },
  },
  staysStopped: {
    rule: 'nothing has come back three seconds after stop',
    spec: 'basic/lifecycle#shutdown',
    play: async (stage) => {
      const { isOver, facts } = await stopped(stage, {});
      // A fixed wait: only time shows that nothing comes.
      await sleep(3_000);
      const left = stage.processes();
      return judged(
        isOver && left.length === 0 && stage.starts() === 1,
        false,
        `${facts}; later ${sayLeft(left)}`,
      );
    },
  },
  hostKilled: {
    rule: 'SIGKILL of the host: a good server behind a shell ends',
    spec: null,
    endsHost: true,
    play: (stage) => ended(stage, {}, 'SIGKILL'),
  },
  hostKilledDeaf: {
    rule: 'SIGKILL of the host: a server that is deaf to the end of its input ends',
    spec: null,
    endsHost: true,
    play: (stage) => ended(stage, { faults: [deaf] }, 'SIGKILL'),
  },
  hostKilledWorst: {
    rule: 'SIGKILL of the host: nothing is left of the worst shape',
    spec: null,
    endsHost: true,
    play: (stage) => ended(stage, worst, 'SIGKILL'),
  },
  hostTerm: {
    rule: 'SIGTERM to the host: a server that is deaf to the end of its input ends',
    spec: null,
    endsHost: true,
    needsSignals: true,
    play: (stage) => ended(stage, { faults: [deaf] }, 'SIGTERM'),
  },
  killedAtStart: {
    rule: 'SIGKILL of the host during the handshake of a deaf server: nothing is left',
    spec: null,
    endsHost: true,
    play: async (stage) => {
      const start = stage.start({ faults: [{ fault: 'life.initNever' }, deaf] }, { wrapped: true });
      void start.then(() => stage.call());
      const isAsked = await stage.until(() => stage.got('initialize') > 0);
      const before = stage.processes().length;
      stage.host.signal('SIGKILL');
      const left = await stage.left(knownMs);
      return judged(isAsked && left.length === 0, false, `${before} processes; ${sayLeft(left)}`);
    },
  },
  idleKill: {
    rule: 'killed while idle: back for the next call or the one after, and no untrue status; partly: an error at once, or an untrue status',
    spec: null,
    play: async (stage) => {
      await stage.start({});
      await stage.call();
      for (const { pid } of stage.processes().filter(isServer)) endProcess(pid);
      const isReady = async (): Promise<boolean> =>
        (await stage.ask('status')).ready?.includes('shaky') === true;
      const isTrue =
        !stage.host.can('status') ||
        (await stage.until(async () => stage.starts() > 1 || !(await isReady())));
      await stage.until(() => stage.starts() > 1);
      const next = await stage.call();
      const after = next.ok ? next : await stage.call();
      const facts = `status ${isTrue ? 'true' : 'UNTRUE'}; next call ${say(next)}; after it ${say(after)}; ${stage.starts()} starts`;
      return judged(isTrue && after.ok, after.ok || (isTrue && !next.isLate), facts);
    },
  },
  crashLoop: {
    rule: 'dies after each handshake: at most 15 starts in eight seconds, and a call is settled',
    spec: null,
    play: async (stage) => {
      await stage.start({ faults: [{ fault: 'proc.exit', when: 'ready', afterMs: 50, code: 1 }] });
      const first = await stage.call();
      // A fixed wait, in which a slower machine starts the server less often, so the limit still holds.
      await sleep(8_000);
      const starts = stage.starts();
      const call = await stage.call();
      const facts = `call ${say(first)}; ${starts} starts; then ${say(call)}`;
      return judged(!first.isLate && !call.isLate && starts >= 1 && starts <= 15, false, facts);
    },
  },
  stderrFlood: {
    rule: '50 MB on stderr: the call is answered; partly: with 150 MB more memory',
    spec: 'basic/transports#stdio',
    play: async (stage) => {
      const before = stage.host.peakMemory;
      await stage.start({ faults: [{ fault: 'proc.stderrFlood', bytes: 50_000_000 }] });
      const call = await stage.call();
      const more = stage.host.peakMemory - before;
      return judged(call.ok && more <= 150, call.ok, `call ${say(call)}; ${more.toFixed(0)} MB more`);
    },
  },
  initNever: {
    rule: 'one mute server beside a good one: the good one is usable within five seconds; partly: within 75 seconds',
    spec: 'basic/lifecycle#timeouts',
    play: async (stage) => {
      const good = { tools: { read: {} } };
      const mute = stage.server({ faults: [{ fault: 'life.initNever' }] }, { name: 'mute' });
      // A second host, with the good server alone, measures how fast this machine is.
      const other = stage.anotherHost();
      await other.opened();
      const alone = other.order(
        'start',
        { servers: { shaky: stage.server(good, { name: 'alone' }) } },
        knownMs,
      );
      const at = performance.now();
      void stage.ask('start', { servers: { mute, shaky: stage.server(good) } });
      const controls = (async () => {
        await alone.answer;
        await other.order('call', { server: 'shaky', tool: 'read', args: {} }, knownMs).answer;
        return performance.now() - at;
      })();
      const call = await stage.callUntilOk({}, 75_000);
      const usable = performance.now() - at;
      const limit = Math.max(5_000, 10 * (await controls));
      const facts = `usable after ${usable.toFixed(0)} ms, limit ${limit.toFixed(0)} ms; call ${say(call)}`;
      return judged(call.ok && usable <= limit, call.ok, facts);
    },
  },
};
