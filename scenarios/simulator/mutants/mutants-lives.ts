import { assign } from 'xstate';
import { openCall } from '../../../machines/client/client.calls.ts';
import { askPing } from '../../../machines/client/client.effects.ts';
import type { ComputerContext, ServersSet } from '../../../machines/computer/computer.events.ts';
import { reconciled } from '../../../machines/computer/computer.rules.ts';
import type { Context } from '../../../machines/client/client.events.ts';
import type { Post, Question } from '../../../machines/kernel/effects.ts';
import type { Resolved } from '../../../machines/client/spec-port.ts';
import { altered } from '../../fixtures/altered.ts';
import { burst, type Turns } from '../../../machines/computer/turns.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import {
  crashing,
  early,
  hurried,
  interrupted,
  lazy,
  misled,
  pinged,
  renewed,
  takenOut,
  unanswered,
} from './mutant-days.ts';
import { chart, nothing, parts, restless, type Actions, type Mutant, type Of } from './mutant.ts';

const ready = ['states', 'connected', 'states', 'ready'] as const;
const draining = ['states', 'connected', 'states', 'draining'] as const;
const timingIn = ({ context }: Of): Timing => context['timing'] as Timing;
const waits = (ms: (of: Of) => number) => () => ({
  type: 'setDeadline',
  params: (of: Of) => ({ ms: ms(of), spread: 0.5 }),
});

/** Again, or not: pauses, budgets, turns. */
const tries: readonly Mutant[] = [
  {
    what: 'a pause that does not grow',
    law: 'a server that failed has its pause before it is tried again',
    days: crashing,
    ...chart('client', [['states', 'waiting', 'entry', '1'], waits((of) => timingIn(of).backoffMs)]),
  },
  {
    what: 'a budget that is never spent',
    law: 'a tripped server has one trial after a while, or none',
    days: crashing,
    ...parts('client', { guards: { canRetry: () => true } }),
  },
  {
    what: 'a server that was given up and is launched again at once',
    law: 'a tripped server has one trial after a while, or none',
    days: crashing,
    ...chart('client', [['states', 'tripped', 'entry', '1'], waits(() => 1)]),
  },
  {
    what: 'a client that does not wait for its turn',
    law: 'a server is launched in its turn',
    ...chart('client', [
      ['states', 'queued', 'always'],
      () => [{ guard: 'needsProcess', target: 'launching' }, { target: 'connected' }],
    ]),
  },
  {
    what: 'a bucket that is never empty',
    law: 'servers come one after another',
    days: crashing,
    ...parts('computer', {
      actions: {
        setTurns: assign((_, { turns }: { turns: Turns }) => ({ turns: { ...turns, tokens: burst } })),
      },
    }),
  },
];
/** On its way down, and while it is looked at. */
const ways: readonly Mutant[] = [
  {
    what: 'a server that is to go down, and takes calls',
    law: 'a server on its way down takes no call',
    days: interrupted,
    ...chart('client', [[...draining, 'on', 'call.request'], () => ({ actions: ['countCall', openCall] })]),
  },
  {
    what: 'a stop that cancels nothing',
    law: 'calls are over before stdin is closed, and none comes after',
    days: restless,
    ...chart('client', [[...draining, 'states', 'cancelling', 'entry'], nothing]),
  },
  {
    what: 'a ping in the midst of a call',
    law: 'nobody is pinged in the midst of a call',
    days: pinged,
    ...parts('client', { guards: { mayPing: (of: Of) => timingIn(of).pingMs > 0 } }),
  },
  {
    what: 'a client that pings a server whose session it has lost',
    law: 'what a machine holds is bounded, and let go with its end',
    days: crashing,
    ...chart('client', [['states', 'recovering', 'entry'], (old: Actions) => [...old, askPing]]),
  },
  {
    what: 'a computer that does not wait for those that start',
    law: 'nobody is told that a tool is not found while a server starts that may have it',
    days: early,
    ...parts('computer', { guards: { mustWait: () => false } }),
  },
  {
    what: 'a computer that forgets what servers wait for',
    law: 'a call that waited for a server in vain hears what that server waits for',
    days: hurried,
    ...parts('computer', { actions: { noteWaits: () => {} } }),
  },
  {
    what: 'calls that waited for a start and are never let go',
    law: 'a call that waits for its server is sent when it is ready',
    days: lazy,
    ...chart('client', [['states', 'connected', 'states', 'ready', 'entry'], (old: Actions) => old.slice(1)]),
  },
];
/** Another config. */
const configs: readonly Mutant[] = [
  {
    what: 'a rollback that forgets what it was to go back to',
    law: 'a server that goes back is launched as it was',
    days: misled,
    ...parts('client', { actions: { rollBack: assign({ fallback: null, attempt: 0 }) } }),
  },
  {
    what: 'a server that is taken out, and whose tools stay offered',
    law: 'a computer offers what its servers have',
    days: takenOut(false),
    kinds: altered(
      'computer',
      [
        [
          ['on', 'servers.set', 'actions', '1', 'params'],
          (letters: (of: Of) => { readonly letters: readonly Post[] }) => (of: Of) => ({
            letters: letters(of).letters.filter(({ event }) => event.type !== 'tools.changed'),
          }),
        ],
      ],
      {
        actions: {
          reconcile: assign(({ context: c }: { context: ComputerContext }, event: ServersSet) => {
            const { table, up, offered, signature, catalogs } = c;
            return { ...reconciled(c, event).next, table, up, offered, signature, catalogs };
          }),
        },
      },
    ),
  },
  {
    what: 'a server that was put back while it went down, and is not opened again',
    law: 'a server of the config is kept by a client',
    days: takenOut(true),
    ...chart('computer', [
      ['on', 'owned.ended', '0', 'actions'],
      (old: Actions) => old.filter((_, n) => n !== 1),
    ]),
  },
];

/** Values that are others by now. */
const values: readonly Mutant[] = [
  {
    what: 'a client that is launched with the first values for ever',
    law: 'a changed value reaches the child',
    ...parts('client', {
      actions: {
        takeSpec: assign(({ context: c }: { context: Context }, { result }: { result: Resolved }) => ({
          spec: c.spec > 0 ? c.spec : result.spec,
          resolved: { generation: c.generation, values: c.values },
        })),
      },
    }),
  },
  {
    what: 'a retry that does not ask what its inputs give by now',
    law: 'a changed value reaches the child',
    days: crashing,
    ...chart('client', [['states', 'waiting', 'on', 'deadline.passed'], () => 'queued']),
  },
  {
    what: 'a server that runs on with values that are no more',
    law: 'a changed value reaches the child',
    days: renewed,
    ...parts('client', { guards: { isOtherSpec: () => false, isSpec: () => false } }),
  },
  {
    what: 'a client that is stopped, and goes on asking for other values',
    law: 'what a machine holds is bounded, and let go with its end',
    days: unanswered,
    ...chart('client', [[...ready, 'exit'], nothing]),
  },
  {
    what: 'a client that asks for other values under another name, and withdraws the first',
    law: 'what a machine holds is bounded, and let go with its end',
    days: unanswered,
    ...chart('client', [
      [...ready, 'on', 'server.update', '1', 'actions', '1', 'params'],
      (question: (of: Of) => Question) => (of: Of) => ({ ...question(of), id: 'more' }),
    ]),
  },
];

export const mutantsOfLives: readonly Mutant[] = [...tries, ...ways, ...configs, ...values];
