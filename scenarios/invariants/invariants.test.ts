import { describe, expect, it } from 'vitest';
import { setup, type AnyStateMachine } from 'xstate';
import { machines } from '../../actors/runtime/assemble.ts';
import type { Leaf } from '../../machines/kernel/ports.ts';
import { breaches, laws } from './invariants.ts';
import { laws as recordLaws } from './index.ts';
import { Stage, type StageOptions } from '../stage/stage.ts';

const servers = { fs: { tools: { read: { answers: {}, afterMs: 50 } } } };
type Leaves = 'process' | 'session' | 'link' | 'office';
/** Leaves that take no notice of their end. */
const leaking = (...leaves: Leaves[]): Partial<StageOptions> => ({
  mend: (ports) => {
    const leak = (port: Leaves) => {
      const open = ports[port] as (...args: unknown[]) => Leaf<never>;
      return (...args: unknown[]) => {
        const leaf = open(...args);
        return { tell: (command: never) => leaf.tell(command), close() {} };
      };
    };
    return { ...ports, ...Object.fromEntries(leaves.map((port) => [port, leak(port)])) };
  },
});
const deaf = setup({}).createMachine({ id: 'deaf' }) as unknown as AnyStateMachine;
const failing = (kind: string, action: string): Partial<StageOptions> => {
  const throwing = () => {
    throw new Error(`bug in ${kind}`);
  };
  const machine = machines[kind]?.provide({ actions: { [action]: throwing } } as never);
  return { kinds: { ...machines, [kind]: machine as AnyStateMachine } };
};
const boot = (stage: Stage): void => {
  stage.computer();
  stage.run(100);
};
const everybody = (stage: Stage): void => {
  stage.office();
  stage.computer({ linked: true });
  stage.agent();
  stage.run(100);
};

/** In mid-call, without a word. */
const abandonAll = (stage: Stage): void => {
  everybody(stage);
  stage.agentCall('read', { timeoutMs: 0 });
  stage.run(10);
  for (const one of ['computer', 'agent', 'office']) stage.directory.abandon(one);
};

interface Crime {
  readonly law: keyof typeof laws;
  readonly how: string;
  readonly options?: Partial<StageOptions>;
  readonly act: (stage: Stage) => void;
  /** What is said of it. */
  readonly said: string;
}
const crimes: readonly Crime[] = [
  {
    law: 'no root is left',
    how: 'a computer that does not hear close',
    options: { kinds: { ...machines, computer: deaf } },
    act: boot,
    said: 'computer#1 is left',
  },
  {
    law: 'no timer is left',
    how: 'a timer that nobody clears',
    act: (s) => void s.clock.setTimeout(() => {}, 3_600_000),
    said: '1 timers left',
  },
  {
    law: 'no process is left',
    how: 'a process port that leaves an abandoned child alone',
    options: leaking('process'),
    act: (s) => {
      boot(s);
      s.directory.abandon('computer');
    },
    said: '1 processes left',
  },
  {
    law: 'no session is left',
    how: 'a session port that does not let go',
    options: {
      ...leaking('session'),
      servers: { fs: { ...servers.fs, exitsFirst: true } },
    },
    act: boot,
    said: '1 sessions left',
  },
  {
    law: 'no connection is left',
    how: 'links and an office that keep their connections',
    options: leaking('link', 'office'),
    act: abandonAll,
    said: '2 connections left',
  },
  {
    law: 'no routed call is left',
    how: 'an office that ends without answering who waits',
    options: leaking('link', 'office'),
    act: abandonAll,
    said: '1 routed calls left',
  },
  {
    law: 'every call is settled exactly once',
    how: 'a computer that takes a call and says nothing',
    options: { kinds: { ...machines, computer: deaf } },
    act: (s) => {
      boot(s);
      s.call('read');
    },
    said: 'host.1.r1 was settled 0 times',
  },
  {
    law: 'every call is settled exactly once',
    how: 'a call that is answered twice',
    act: (s) => {
      boot(s);
      const call = s.call('read');
      s.run(100);
      s.directory.send('host:computer', { type: 'call.settled', ticket: call.ticket } as never);
    },
    said: 'host.1.r1 was settled 2 times',
  },
  {
    law: 'no machine fails',
    how: 'a call whose action throws',
    options: failing('call', 'enter'),
    act: (s) => {
      boot(s);
      s.call('read');
    },
    said: 'failed: Error: bug in call',
  },
  {
    law: 'no defect is reported',
    how: 'a host whose listener throws',
    act: (s) => {
      boot(s);
      s.directory.listen('host:rude', () => {
        throw new Error('not now');
      });
      s.order('host:rude', { type: 'hello' });
    },
    said: 'Error: not now',
  },
  {
    law: 'no message is lost',
    how: 'an order to nobody',
    act: (s) => s.order('nobody', { type: 'hello' }),
    said: 'host -> nobody: hello',
  },
  {
    law: 'a server has at most one process',
    how: 'a client that does not wait for the end of the old one',
    act: (s) => {
      const open = { k: 'out', port: 'process', ev: { type: 'leaf.open' } } as const;
      s.seen.push({ at: 0, record: { ...open, a: 'c/client:fs#1/process#1/process#1' } });
      s.seen.push({ at: 0, record: { ...open, a: 'c/client:fs#1/process#2/process#1' } });
    },
    said: 'was started while c/client:fs#1/process#1/process#1 lived',
  },
  {
    law: 'a process goes down the ladder step by step',
    how: 'a process machine that closes stdin after it has signalled',
    act: (s) => {
      const told = { k: 'out', port: 'process', a: 'p#1/process#1' } as const;
      s.seen.push({ at: 0, record: { ...told, ev: { type: 'child.signal', signal: 'SIGTERM' } as never } });
      s.seen.push({ at: 0, record: { ...told, ev: { type: 'child.closeStdin' } } });
    },
    said: 'child.closeStdin after SIGTERM',
  },
  {
    law: 'no child is started while an older one lives',
    how: 'a port that leaves the child of a crashed machine alive',
    options: { ...leaking('process'), ...failing('process', 'rememberPid') },
    act: (s) => {
      s.computer();
      s.run(5000);
    },
    said: 'process#2 was started while an older one lived',
  },
  {
    law: 'nobody who watches fails',
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
    law: 'the directory is whole',
    how: 'a root whose owner is gone',
    act: (s) => void (s.directory.audit = () => ['computer/link#1 has no living owner']),
    said: 'computer/link#1 has no living owner',
  },
];

const play = (act: (stage: Stage) => void, options: Partial<StageOptions> = {}): Stage => {
  const stage = new Stage({ servers, ...options });
  act(stage);
  stage.close();
  stage.run(60_000);
  return stage;
};

describe('an invariant', () => {
  it('holds where nothing is wrong', () => {
    expect(breaches(play(everybody))).toEqual([]);
  });

  it.each(crimes)('is broken by $how: $law', ({ law, act, options, said }) => {
    const found = laws[law]?.(play(act, options), {}) ?? [];
    expect(found.join('\n')).toContain(said);
  });

  it('that nobody has seen broken does not exist', () => {
    // Those over records have crimes of their own.
    const seen = new Set([...crimes, ...recordLaws].map(({ law }) => law));
    expect(Object.keys(laws).filter((law) => !seen.has(law))).toEqual([]);
  });

  it('lets pass what a scenario means to fail, and nothing else', () => {
    const stage = play(
      (s) => {
        boot(s);
        s.call('read');
      },
      failing('call', 'enter'),
    );
    expect(breaches(stage, { failing: '/call:' })).toEqual([]);
    expect(breaches(stage, { failing: '/process#' })).toHaveLength(1);
  });
});
