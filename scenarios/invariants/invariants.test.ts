import { describe, expect, it } from 'vitest';
import { setup, type AnyEventObject, type AnyStateMachine } from 'xstate';
import { machines } from '../../actors/kinds/all.ts';
import { broken } from '../fixtures/altered.ts';
import type { PortInstance } from '../../machines/kernel/ports.ts';
import { violations, invariants } from './invariants.ts';
import { invariants as recordInvariants } from './index.ts';
import { everybody } from '../stage/watching.ts';
import { Harness, type AskedCall, type HarnessOptions } from '../stage/harness.ts';

const servers = { fs: { tools: { read: { answers: {}, afterMs: 50 } } } };
type Leaves = 'process' | 'session' | 'link' | 'office';
const leaking = (...leaves: Leaves[]): Partial<HarnessOptions> => ({
  mend: (ports) => {
    const leak = (port: Leaves) => {
      const open = ports[port] as (...args: unknown[]) => PortInstance<never>;
      return (...args: unknown[]) => {
        const instance = open(...args);
        return { tell: (command: never) => instance.tell(command), close() {} };
      };
    };
    return { ...ports, ...Object.fromEntries(leaves.map((port) => [port, leak(port)])) };
  },
});
const deaf = setup({}).createMachine({ id: 'deaf' }) as unknown as AnyStateMachine;
const failing = (kind: string, action: string) => ({ kinds: broken(kind, action) });
const boot = async (harness: Harness): Promise<void> => {
  harness.computer();
  await harness.run(100);
};
const calling = async (harness: Harness): Promise<AskedCall> => {
  await boot(harness);
  return harness.call('read');
};
const abandonAll = async (harness: Harness): Promise<void> => {
  await everybody(harness);
  harness.agentCall('read', { timeoutMs: 0 });
  await harness.run(10);
  for (const one of ['computer', 'agent', 'office']) harness.directory.abandon(one);
};

type Act = (harness: Harness) => unknown;
interface ViolatingExample {
  readonly invariant: keyof typeof invariants;
  readonly how: string;
  readonly options?: Partial<HarnessOptions>;
  readonly act: Act;
  readonly said: string;
}
const violating: readonly ViolatingExample[] = [
  {
    invariant: 'no root is left',
    how: 'a computer that does not hear close',
    options: { kinds: { ...machines, computer: deaf } },
    act: boot,
    said: 'computer#1 is left',
  },
  {
    invariant: 'no timer is left',
    how: 'a timer that nobody clears',
    act: (s) => void s.clock.setTimeout(() => {}, 3_600_000),
    said: '1 timers left',
  },
  {
    invariant: 'no process is left',
    how: 'a process port that leaves an abandoned child alone',
    options: leaking('process'),
    act: async (s) => {
      await boot(s);
      s.directory.abandon('computer');
    },
    said: '1 processes left',
  },
  {
    invariant: 'no session is left',
    how: 'a session port that does not let go',
    options: { ...leaking('session'), servers: { fs: { ...servers.fs, exitsFirst: true } } },
    act: boot,
    said: '1 sessions left',
  },
  {
    invariant: 'no connection is left',
    how: 'links and an office that keep their connections',
    options: leaking('link', 'office'),
    act: abandonAll,
    said: '2 connections left',
  },
  {
    invariant: 'no routed call is left',
    how: 'an office that ends without answering who waits',
    options: leaking('link', 'office'),
    act: abandonAll,
    said: '1 routed calls left',
  },
  {
    invariant: 'no part of a file is left',
    how: 'a file that is opened and never ended',
    act: (s) => {
      const params = { upload: 'u', name: 'f', bytes: 1, sha256: '' };
      s.callPorts.landing.request('computer', { id: 'r', target: '', method: 'open', params }, () => {});
    },
    said: '1 files that have not landed left',
  },
  {
    invariant: 'every call is settled exactly once',
    how: 'a computer that takes a call and says nothing',
    options: { kinds: { ...machines, computer: deaf } },
    act: calling,
    said: 'host.1.r1 was settled 0 times',
  },
  {
    invariant: 'every call is settled exactly once',
    how: 'a call that is answered twice',
    act: async (s) => {
      const call = await calling(s);
      await s.run(100);
      s.directory.send('host:computer', { type: 'call.settled', ticket: call.ticket } as never);
    },
    said: 'host.1.r1 was settled 2 times',
  },
  {
    invariant: 'no machine fails',
    how: 'a call whose action throws',
    options: failing('call', 'enter'),
    act: calling,
    said: 'failed: Error: bug in call',
  },
  {
    invariant: 'no defect is reported',
    how: 'a host whose listener throws',
    act: async (s) => {
      await boot(s);
      s.directory.listen('host:rude', () => {
        throw new Error('not now');
      });
      s.order('host:rude', { type: 'hello' });
    },
    said: 'Error: not now',
  },
  {
    invariant: 'no message is lost',
    how: 'an order to nobody',
    act: (s) => s.order('nobody', { type: 'hello' }),
    said: 'host -> nobody: hello',
  },
  {
    invariant: 'a server has at most one process, and each that was started ends exactly once',
    how: 'a client that does not wait for the end of the old one',
    act: (s) => {
      const ev = { type: 'leaf.open', input: { server: 'fs' } } as AnyEventObject;
      for (const n of [1, 2])
        s.seen.push({
          at: 0,
          record: { k: 'out', port: 'process', a: `c/client:fs/process#${n}/process#1`, ev },
        });
    },
    said: 'was started while process:fs/1 lived',
  },
  {
    invariant: 'no child is started while an older one lives',
    how: 'a port that leaves the child of a crashed machine alive',
    options: { ...leaking('process'), ...failing('process', 'rememberPid') },
    act: async (s) => {
      s.computer();
      await s.run(5000);
    },
    said: 'was started while an older one lived',
  },
  {
    invariant: 'no observer fails',
    how: 'an observer that throws',
    options: {
      observer: () => ({
        record: () => {
          throw new Error('I cannot look');
        },
      }),
    },
    act: boot,
    said: 'I cannot look',
  },
  {
    invariant: 'the directory is consistent',
    how: 'a root whose owner is gone',
    act: (s) => void (s.directory.audit = () => ['computer/link#1 has no living owner']),
    said: 'computer/link#1 has no living owner',
  },
];

const play = async (act: Act, options: Partial<HarnessOptions> = {}): Promise<Harness> => {
  const harness = new Harness({ servers, ...options });
  await act(harness);
  harness.close();
  await harness.run(60_000);
  return harness;
};

describe('an invariant', () => {
  it('holds where nothing is wrong', async () => {
    expect(violations(await play((s) => everybody(s)))).toEqual([]);
  });

  it.each(violating)('is violated by $how: $invariant', async ({ invariant, act, options, said }) => {
    const found = invariants[invariant]?.(await play(act, options), {}) ?? [];
    expect(found.join('\n')).toContain(said);
  });

  it('has at least one violating example', () => {
    // Invariants over records have violating examples of their own.
    const seen = new Set([...violating, ...recordInvariants].map(({ invariant }) => invariant));
    expect(Object.keys(invariants).filter((invariant) => !seen.has(invariant))).toEqual([]);
  });

  it('ignores what a scenario expects to fail, and nothing else', async () => {
    const harness = await play(calling, failing('call', 'enter'));
    expect(violations(harness, { failing: '/call:' })).toEqual([]);
    expect(violations(harness, { failing: '/process#' })).toHaveLength(1);
  });
});
