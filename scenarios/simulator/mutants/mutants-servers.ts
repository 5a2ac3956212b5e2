import { assign } from 'xstate';
import { askPing, openCall } from '../../../machines/client/client.machine.ts';
import type { ComputerContext, ServersSet } from '../../../machines/computer/computer.rules.ts';
import { reconciledServers } from '../../../machines/computer/computer.rules.ts';
import { actionOf } from '../../../machines/computer/computer.machine.ts';
import type { ClientContext } from '../../../machines/client/client.events.ts';
import type { Resolved } from '../../../machines/client/client.events.ts';
import { connectBurst } from '../../../machines/computer/computer.rules.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import { crashing, interrupted, unanswered } from './mutant-runs.ts';
import {
  withChart,
  doNothing,
  withImplementations,
  type Actions,
  type Mutant,
  type ChartArguments,
  ignoredEvent,
} from './mutant.ts';

const handshaking = ['states', 'connected', 'states', 'handshaking', 'on', 'session.opened'] as const;

/** Servers behind a URL: sessions that are forgotten, doors that are shut, answers that break off. */
export const mutantsOfNet: readonly Mutant[] = [
  {
    what: 'a session that is renewed, and whose lists are not',
    finder: { story: 'a session that expired is opened again, once, and its lists are asked for again' },
    ...withChart('client', [
      handshaking,
      (ways: Actions) => [
        {
          guard: ({ context }: ChartArguments) => context['isRenewed'],
          target: 'ready',
          actions: { type: 'rememberInfo', params: ({ event }: ChartArguments) => event },
        },
        ...ways,
      ],
    ]),
  },
  {
    what: 'a session that is renewed again and again',
    finder: { story: 'a session that expires again before it proved itself is a failure, with a pause' },
    ...withImplementations('client', {
      guards: { canRenew: (_: ChartArguments, { isExpired }: { isExpired?: boolean }) => isExpired === true },
    }),
  },
  {
    what: 'a forgotten session that counts as a failure',
    finder: {
      story:
        'a session that is forgotten is opened again, once; the call that met it was not read, and is sent once more',
    },
    ...withImplementations('client', { guards: { canRenew: () => false } }),
  },
  {
    what: 'a watch that takes the subscriptions of a forgotten session for its own',
    finder: {
      story:
        'what was watched in a session that is forgotten is subscribed in the next one, and its lists are asked for',
    },
    ...withChart('watch', [['states', 'ready', 'on', 'watch.open'], ignoredEvent]),
  },
  {
    what: 'a call whose answer broke off, and that waits for news of a server that lives',
    finder: {
      story: 'an answer that breaks off is unknown at once; where it can be taken up again it comes',
    },
    ...withImplementations('call', {
      guards: { isLost: (_: ChartArguments, { lost }: { lost?: boolean }) => lost === true },
    }),
  },
  {
    what: 'a login that was refused, and is tried again and again',
    finder: { story: 'a server that wants a login is asked once, and says what to do' },
    ...withImplementations('client', { guards: { isHopeless: () => false, wantsLogin: () => false } }),
  },
];

const ready = ['states', 'connected', 'states', 'ready'] as const;
const draining = ['states', 'connected', 'states', 'draining'] as const;
const timingIn = ({ context }: ChartArguments): Timing => context['timing'] as Timing;
const waits = (ms: (of: ChartArguments) => number) => () => ({
  type: 'setDeadline',
  params: (of: ChartArguments) => ({ ms: ms(of), spread: 0.5 }),
});

/** Again, or not: pauses, budgets, turns. */
const tries: readonly Mutant[] = [
  {
    what: 'a call to a server that was just lost, which is refused although the next try comes soon',
    finder: { story: 'a call to a server that is recovering waits for its next try where that comes soon' },
    ...withImplementations('client', { guards: { isNearAfterLoss: () => false } }),
  },
  {
    what: 'a call that comes after the loss of its server, and that the news of the loss ends',
    finder: { story: 'a call to a server that is disconnected waits for its next try where that comes soon' },
    ...withImplementations('call', { guards: { outlivesLoss: () => false } }),
  },
  {
    what: 'a pause that does not grow',
    finder: { story: 'each pause before a try is twice as long as the one before, up to the longest' },
    ...withChart('client', [['states', 'waiting', 'entry', '1'], waits((of) => timingIn(of).backoffMs)]),
  },
  {
    what: 'a server that was given up and is launched again at once',
    finder: {
      story: 'a server whose circuit is open has one trial by itself, and one more after each that fails',
    },
    ...withChart('client', [['states', 'open', 'entry', '1'], waits(() => 1)]),
  },
  {
    what: 'a client that does not wait for its turn',
    finder: { story: 'thirty servers that die together do not come back in the same second' },
    ...withChart('client', [
      ['states', 'queued', 'always'],
      () => [{ guard: 'needsProcess', target: 'launching' }, { target: 'connected' }],
    ]),
  },
  {
    what: 'a bucket that is never empty',
    finder: { story: 'thirty servers that die together do not come back in the same second' },
    ...withImplementations('computer', {
      actions: {
        remember: assign((_, { next }: { next: Partial<ComputerContext> }) =>
          next.permits ? { ...next, permits: { ...next.permits, tokens: connectBurst } } : next,
        ),
      },
    }),
  },
];
/** On its way down, and while it is looked at. */
const ways: readonly Mutant[] = [
  {
    what: 'a server that is to go down, and takes calls',
    finder: { invariant: 'a closing server takes no calls' },
    runs: interrupted,
    ...withChart('client', [
      [...draining, 'on', 'call.request'],
      () => ({ actions: ['countCall', openCall] }),
    ]),
  },
  {
    what: 'a ping in the midst of a call',
    finder: { story: 'a server is pinged when it is idle, and never while it works' },
    ...withImplementations('client', {
      guards: { mayPing: (of: ChartArguments) => timingIn(of).pingMs > 0 },
    }),
  },
  {
    what: 'a client that pings a server whose session it has lost',
    finder: { invariant: 'what a machine holds is bounded, and released when it ends' },
    runs: crashing,
    ...withChart('client', [['states', 'recovering', 'entry'], (old: Actions) => [...old, askPing]]),
  },
  {
    what: 'a computer that does not wait for those that start',
    finder: { story: 'a call of a tool that nobody has yet waits for the servers that start' },
    ...withImplementations('computer', { guards: { mustWait: () => false } }),
  },
  {
    what: 'a computer that forgets what servers wait for',
    finder: { story: 'a call that waits for a silent server hears what that server waits for' },
    ...withImplementations('computer', { actions: { noteWaits: () => {} } }),
  },
  {
    what: 'calls that waited for a start and are never let go',
    finder: { story: 'a call that the rule of the host allows waits for its lazy server' },
    ...withChart('client', [
      ['states', 'connected', 'states', 'ready', 'entry'],
      (old: Actions) => old.slice(1),
    ]),
  },
];
/** Another config. */
const configs: readonly Mutant[] = [
  {
    what: 'a rollback that forgets what it was to go back to',
    finder: { story: 'a server whose changed config lacks a value goes back to what it was' },
    ...withImplementations('client', { actions: { rollBack: assign({ fallback: null, attempt: 0 }) } }),
  },
  {
    what: 'a server that is taken out, and whose tools stay offered',
    finder: { story: 'a refused name is the newcomer’s with reject when the first server leaves the config' },
    ...withChart('computer', [
      ['on', 'servers.set', 'actions'],
      () =>
        actionOf<ServersSet>((c, event) => {
          const { opens, messages, next } = reconciledServers(c, event);
          const { table, up, offered, signature, catalogs } = c;
          return {
            opens,
            messages: messages.filter((each) => each.event.type !== 'tools.changed'),
            next: { ...next, table, up, offered, signature, catalogs },
          };
        }),
    ]),
  },
  {
    what: 'a server that was put back while it went down, and is not opened again',
    finder: { story: 'a server that is put back while it still goes down is started when it has ended' },
    ...withChart('computer', [
      ['on', 'owned.ended', '1', 'actions'],
      (old: Actions) => old.filter((_, n) => n !== 1),
    ]),
  },
];

/** Values that are others by now. */
const values: readonly Mutant[] = [
  {
    what: 'a client that is launched with the first values for ever',
    finder: {
      story: 'each start of a server asks what its inputs give by now, and the child is launched with that',
    },
    ...withImplementations('client', {
      actions: {
        takeSpec: assign(({ context: c }: { context: ClientContext }, { result }: { result: Resolved }) => ({
          spec: c.spec > 0 ? c.spec : result.spec,
          resolved: { generation: c.generation, values: c.values },
        })),
      },
    }),
  },
  {
    what: 'a server that runs on with values that are no more',
    finder: { story: 'a value that a server has while it runs changes nothing until somebody says so' },
    ...withImplementations('client', { guards: { isOtherSpec: () => false, isSpec: () => false } }),
  },
  {
    what: 'a client that is stopped, and goes on asking for other values',
    finder: { invariant: 'what a machine holds is bounded, and released when it ends' },
    runs: unanswered,
    ...withChart('client', [[...ready, 'exit'], doNothing]),
  },
];

export const mutantsOfServers: readonly Mutant[] = [...tries, ...ways, ...configs, ...values];
