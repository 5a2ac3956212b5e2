import { assign } from 'xstate';
import { nameOf, type Post } from '../../../machines/kernel/effects.ts';
import { send } from '../../../machines/call/call.machine.ts';
import { altered } from '../../fixtures/altered.ts';
import {
  withChart,
  crowded,
  divergence,
  ignoredEvent,
  doNothing,
  withImplementations,
  type Actions,
  type Mutant,
  type ChartArguments,
} from './mutant.ts';
import { mutantsOfCalls } from './mutants-calls.ts';
import { mutantsOfNet, mutantsOfServers } from './mutants-servers.ts';
import { mutantsOfLists, mutantsOfNotices } from './mutants-notices.ts';
import { mutantsOfShown } from './mutants-shown.ts';
import { mutantsOfHosts, mutantsOfRuntime } from './mutants-runtime.ts';
import { mutantsOfShares } from './mutants-shares.ts';

interface Sending {
  readonly target: string;
  readonly actions: Actions;
}
interface Posting {
  readonly params: (of: ChartArguments) => Post;
}
const ready = ['states', 'connected', 'states', 'ready'] as const;
const running = ['states', 'running'] as const;
const parting = ['states', 'closing', 'states'] as const;

/** Counter over all runs, so that no run goes as the one before. */
let judged = 0;
const startClock = {
  type: 'setDeadline',
  params: ({ context: c }: ChartArguments) => ({ ms: Number(c['timeoutMs']) }),
};
const calls: readonly Mutant[] = [
  {
    what: 'a call that forgets its cancel',
    finder: { invariant: 'a cancel settles its call at once' },
    ...withChart('call', [[...running, 'on', 'call.cancel'], doNothing]),
  },
  {
    what: 'a call that answers twice',
    finder: { invariant: 'every call is settled exactly once' },
    ...withChart('call', [['states', 'succeeded', 'entry'], (settle) => [settle, settle]]),
  },
  {
    what: 'a call without a time-out',
    finder: { invariant: 'every call is settled within its time limit' },
    ...withChart('call', [['entry'], () => []]),
  },
  {
    what: 'a call whose time begins again when it has to wait for its turn',
    finder: { invariant: 'every call is settled within its time limit' },
    runs: crowded,
    ...withChart('call', [['states', 'queued', 'states', 'inLine', 'entry'], () => startClock]),
  },
  {
    what: 'a call that is sent again when its server is lost',
    finder: { invariant: 'a call is sent at most once' },
    ...withChart('call', [
      ['states', 'interrupted', 'on', 'server.lost'],
      () => ({ target: 'running', actions: send }),
    ]),
  },
  {
    what: 'a call that asks twice',
    finder: { invariant: 'a call is sent at most once' },
    ...withChart('call', [
      ['states', 'deciding', 'always'],
      (ways: readonly Sending[]) =>
        ways.map((way) =>
          way.target === '#call.running' ? { ...way, actions: [way.actions, way.actions].flat() } : way,
        ),
    ]),
  },
  {
    what: 'a call that answers somebody else',
    finder: { invariant: 'every call is settled exactly once' },
    ...withChart('call', [
      ['states', 'succeeded', 'entry'],
      (settle: Posting) => ({
        ...settle,
        params: (of: ChartArguments) => ({ ...settle.params(of), to: 'host:office' }),
      }),
    ]),
  },
  {
    what: 'a call that throws over its answer',
    finder: { invariant: 'no machine fails' },
    ...withImplementations('call', { actions: { rememberResult: throwing() } }),
  },
  {
    what: 'a call with chance in a guard',
    finder: { invariant: divergence },
    ...withImplementations('call', { guards: { isToolError: () => (judged += 1) % 3 === 0 } }),
  },
];
function throwing() {
  return assign(() => {
    throw new Error('not today');
  });
}

const clients: readonly Mutant[] = [
  {
    what: 'a client that goes on before its process has ended',
    finder: { invariant: 'no defect is reported' },
    ...withChart('client', [['states', 'recovering', 'always'], () => 'gone']),
  },
  {
    what: 'a client that ends its process by force',
    finder: { invariant: 'no process is killed before its time to end is over' },
    ...withChart('client', [
      ['states', 'recovering', 'entry'],
      (old: Actions) => [
        ...old,
        {
          type: 'close',
          params: ({ context: c }: ChartArguments) => ({ to: `${nameOf(String(c['self']))}/process` }),
        },
      ],
    ]),
  },
  {
    what: 'a client that starts a second process',
    finder: { invariant: 'what a machine holds is bounded, and released when it ends' },
    ...withChart('client', [
      ['states', 'connected', 'entry'],
      () => ({
        type: 'open',
        params: ({ context: { server, generation, timing } }: ChartArguments) => ({
          kind: 'process',
          key: 'spare',
          input: { server, generation, timing },
        }),
      }),
    ]),
  },
  {
    what: 'a client that never tries again',
    finder: { invariant: 'a wanted server is ready, or rests and says why' },
    ...withChart('client', [['states', 'waiting', 'on', 'deadline.passed'], doNothing]),
  },
  {
    what: 'a client that is tired of being ready',
    finder: { story: 'a call without a limit waits as long as its server' },
    ...withChart('client', [[...ready, 'after'], () => ({ provenStable: '#client.recovering' })]),
  },
  {
    what: 'a client that was given up, and does not hear that it is started',
    finder: { story: 'the budget of tries is spent, then the server rests until it is started by hand' },
    ...withChart('client', [['states', 'open', 'on', 'server.start'], ignoredEvent]),
  },
  {
    what: 'a client that does not hear that it is stopped',
    finder: { story: 'a server that is stopped while handshaking comes to rest and is not tried again' },
    ...withChart(
      'client',
      [['states', 'launching', 'on', 'server.stop'], ignoredEvent],
      [['states', 'connected', 'on', 'server.stop'], ignoredEvent],
    ),
  },
  {
    what: 'a client that gives up and does not say why',
    finder: { invariant: 'a wanted server is ready, or rests and says why' },
    ...withImplementations('client', {
      actions: Object.fromEntries(
        ['End', 'OwnedEnd', 'Failure', 'Slow', 'Severed'].map((what) => [`remember${what}`, doNothing]),
      ),
    }),
  },
  {
    what: 'a client that closes stdin over its calls',
    finder: {
      story: 'a host that stops cancels its calls, and their server hears of it before its input ends',
    },
    ...withChart('client', [
      ['states', 'connected', 'states', 'draining', 'always'],
      () => '#client.closing',
    ]),
  },
  {
    what: 'a client that writes to a process that is gone',
    finder: { invariant: 'no message is lost' },
    ...withChart('client', [
      ['states', 'recovering', 'entry', '4', 'params'],
      (params: Posting['params']) => (of: ChartArguments) => ({ ...params(of), optional: undefined }),
    ]),
  },
];

const processes: readonly Mutant[] = [
  {
    what: 'a process that leaves out SIGTERM',
    finder: { invariant: 'each shutdown step of a process has its full time' },
    ...withChart('process', [[...parting, 'stdinClosed', 'after'], () => ({ stdinGrace: 'killing' })]),
  },
  {
    what: 'a process that goes a step back: SIGKILL, and SIGTERM then',
    finder: { story: 'a server that ignores its input and SIGTERM is killed after both graces' },
    ...withChart('process', [[...parting, 'killing', 'entry'], () => ['kill', 'terminate']]),
  },
  {
    what: 'a process that has ended with its leader, and forgets the group',
    finder: { invariant: 'no process is killed before its time to end is over' },
    ...withChart('process', [
      ['states', 'closing', 'on', 'child.exited', '1'],
      (old: object) => ({ ...old, target: 'exited' }),
    ]),
  },
];

const loops: readonly Mutant[] = [
  {
    what: 'a process that looks at its child again and again, without a pause',
    finder: { invariant: 'nothing is thrown at the host' },
    kinds: altered(
      'process',
      [[['states', 'running', 'after'], () => ({ pause: { target: 'running', reenter: true } })]],
      { delays: { pause: 0 } },
    ),
  },
];

export const mutants: readonly Mutant[] = [
  ...[...calls, ...mutantsOfCalls, ...clients, ...processes, ...loops],
  ...[...mutantsOfLists, ...mutantsOfNotices, ...mutantsOfNet],
  ...[...mutantsOfServers, ...mutantsOfRuntime, ...mutantsOfShown, ...mutantsOfHosts],
  ...mutantsOfShares,
];
