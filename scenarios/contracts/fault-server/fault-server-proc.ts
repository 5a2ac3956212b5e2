import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { killed, textOf, type Rules, type Peer, type Start } from './fault-server-harness.ts';

const said = (peer: Peer, did: string): boolean => peer.facts.some((fact) => fact.did === did);

/** Only Linux tells. */
const ignoresSigterm = (pid: number): boolean => {
  const [, mask = '0'] = /^SigIgn:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n;
};
const grandchildOf = async (peer: Peer): Promise<number> => {
  const found = (): number | undefined => peer.facts.find(({ did, pid }) => did === 'grandchild' && pid)?.pid;
  await peer.until(() => found() !== undefined);
  return found() ?? NaN;
};

const exits: Rules = {
  'proc.exit': {
    rule: 'ends it with its code in every phase, before it answers',
    holds: async (start) => {
      const phases: readonly (readonly [when: string, play: (peer: Peer) => unknown])[] = [
        ['start', () => {}],
        ['initialize', (peer) => peer.send({ id: 0, method: 'initialize' })],
        ['ready', (peer) => peer.send({ method: 'notifications/initialized' })],
        ['list', (peer) => peer.send({ id: 0, method: 'tools/list' })],
        ['call', (peer) => peer.call(0)],
        ['stdinEnd', (peer) => peer.child.stdin?.end()],
      ];
      await Promise.all(
        phases.map(async ([when, play]) => {
          const peer = start({ faults: [{ fault: 'proc.exit', when, code: 7 }] });
          play(peer);
          expect(await peer.ended(), when).toEqual({ code: 7, signal: null });
          expect(peer.bytes).toHaveLength(0);
        }),
      );
    },
  },
  'proc.kill': {
    rule: 'ends it by the signal',
    holds: async (start) => {
      for (const signal of ['SIGKILL', 'SIGTERM']) {
        const peer = start({ faults: [{ fault: 'proc.kill', signal }] });
        peer.call(1);
        expect(await peer.ended()).toEqual({ code: null, signal });
      }
    },
  },
  'proc.exitClean': {
    rule: 'ends it with code 0 after the handshake, its input open',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'proc.exitClean' }] });
      await peer.ready();
      expect(await peer.ended()).toEqual({ code: 0, signal: null });
      expect(peer.facts.some(({ got }) => got === 'stdin.end')).toBe(false);
    },
  },
  'proc.oom': {
    rule: "leaves V8's last words on stderr, and ends by SIGABRT",
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'proc.oom' }] });
      peer.call(1);
      expect(await peer.ended()).toEqual({ code: null, signal: 'SIGABRT' });
      expect(peer.stderr).toContain('JavaScript heap out of memory');
    },
  },
};

const stubborn: Rules = {
  'proc.ignoreSigterm': {
    rule: 'survives SIGTERM, and so often as it says',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'proc.ignoreSigterm', times: 1 }] });
      await peer.ping('listens');
      peer.child.kill('SIGTERM');
      await peer.until(() => said(peer, 'proc.ignoreSigterm'));
      await peer.ping('lives');
      peer.child.kill('SIGTERM');
      expect(await peer.ended()).toEqual({ code: null, signal: 'SIGTERM' });
    },
  },
  'proc.ignoreStdinClose': {
    rule: 'survives the end of its input, and not SIGTERM',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'proc.ignoreStdinClose' }] });
      peer.child.stdin?.end();
      await peer.until(() => said(peer, 'proc.ignoreStdinClose'));
      peer.child.kill('SIGTERM');
      expect(await peer.ended()).toEqual({ code: null, signal: 'SIGTERM' });
    },
  },
  'proc.slowExit': {
    rule: 'ends so long after it was asked to, and answers nobody meanwhile',
    holds: async (start) => {
      const peer = start({ tools: { slow: { takes: 80 } }, faults: [{ fault: 'proc.slowExit', ms: 120 }] });
      await peer.ping();
      const asked = performance.now();
      peer.call(1, 'slow');
      expect(await peer.leave()).toEqual({ code: 0, signal: null });
      expect(performance.now() - asked).toBeGreaterThanOrEqual(119);
      expect(peer.answersTo(1)).toEqual([]);

      const told = start({ faults: [{ fault: 'proc.slowExit', when: 'sigterm', ms: 60 }] });
      await told.ping();
      const signalled = performance.now();
      told.child.kill('SIGTERM');
      expect(await told.ended()).toEqual({ code: null, signal: 'SIGTERM' });
      expect(performance.now() - signalled).toBeGreaterThanOrEqual(59);
    },
  },
  'proc.pause': {
    rule: 'stops all of it, and then it goes on',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'proc.pause', ms: 80, times: 1 }] });
      await peer.ping('before');
      const asked = performance.now();
      peer.call(1);
      await peer.ping('after');
      expect(performance.now() - asked).toBeGreaterThanOrEqual(79);
      expect(textOf(await peer.answer(1))).toBe('text 1');
      expect(await peer.leave()).toEqual({ code: 0, signal: null });
    },
  },
};

const others: Rules = {
  'proc.crashLoop': {
    rule: 'ends the first n starts, and not the one after',
    holds: async (start) => {
      const first = start({});
      const starts = first.file('starts');
      const config = { starts, faults: [{ fault: 'proc.crashLoop', n: 2, code: 9 }] };
      expect(await start(config).ended()).toEqual({ code: 9, signal: null });
      expect(await start(config).ended()).toEqual({ code: 9, signal: null });
      const third = start(config);
      await third.ping();
      expect(await third.leave()).toEqual({ code: 0, signal: null });
      expect(readFileSync(starts, 'utf8').split('\n')).toHaveLength(4);
    },
  },
  'proc.zombieGrandchild': {
    rule: 'leaves a process in its group, which may hold the pipes or ignore SIGTERM',
    holds: async (start) => {
      await Promise.all([leavesGroup(start), holdsPipes(start), leavesStubborn(start)]);
    },
  },
  'proc.stdoutClosed': {
    rule: 'ends its output, and it lives and reads on',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'proc.stdoutClosed' }] });
      const ended = new Promise((resolve) => peer.child.stdout?.once('end', resolve));
      peer.call(1);
      await ended;
      peer.call(2);
      await peer.until(() => peer.facts.some(({ id }) => id === 2));
      expect(peer.ending).toBeUndefined();
      expect(await peer.leave()).toEqual({ code: 0, signal: null });
      expect(peer.bytes).toHaveLength(0);
    },
  },
  'proc.stderrFlood': {
    rule: 'writes so many bytes, and it answers whether anybody reads them or not',
    holds: async (start) => {
      const bytes = 1_500_000;
      const peer = start({ faults: [{ fault: 'proc.stderrFlood', bytes }] }, { leavesStderr: true });
      peer.call(1);
      expect(textOf(await peer.answer(1))).toBe('text 1');
      expect(peer.stderr).toBe('');
      peer.readStderr();
      await peer.until(({ stderr }) => stderr.length >= bytes);
      await peer.ping();
      expect(await peer.leave()).toEqual({ code: 0, signal: null });
      expect(peer.stderr).toHaveLength(bytes);
    },
  },
};

async function leavesGroup(start: Start): Promise<void> {
  const peer = start({ faults: [{ fault: 'proc.zombieGrandchild' }] }, { leads: true });
  const grandchild = await grandchildOf(peer);
  expect(await peer.leave()).toEqual({ code: 0, signal: null });
  expect(killed(-peer.pid, 0)).toBe(true);
  expect(killed(grandchild)).toBe(true);
}
async function holdsPipes(start: Start): Promise<void> {
  const peer = start({ faults: [{ fault: 'proc.zombieGrandchild', holdsPipes: true }] }, { leads: true });
  const grandchild = await grandchildOf(peer);
  peer.child.stdin?.end();
  await peer.until(({ ending }) => ending !== undefined);
  expect(peer.isClosed).toBe(false);
  killed(grandchild, 'SIGTERM');
  expect(await peer.ended()).toEqual({ code: 0, signal: null });
}
async function leavesStubborn(start: Start): Promise<void> {
  const peer = start({ faults: [{ fault: 'proc.zombieGrandchild', ignoresSigterm: true }] }, { leads: true });
  const grandchild = await grandchildOf(peer);
  // The shell of a grandchild needs a moment to begin.
  if (process.platform === 'linux')
    while (!ignoresSigterm(grandchild)) await new Promise((resolve) => setImmediate(resolve));
  await peer.leave();
  expect(killed(grandchild)).toBe(true);
}

export const procRules: Rules = { ...exits, ...stubborn, ...others };
