import { assign } from 'xstate';
import { openCall } from '../../../machines/client/client.calls.ts';
import { askPing } from '../../../machines/client/client.effects.ts';
import type { ComputerContext, ServersSet } from '../../../machines/computer/computer.events.ts';
import { reconciled } from '../../../machines/computer/computer.rules.ts';
import { step } from '../../../machines/computer/computer.setup.ts';
import type { Context } from '../../../machines/client/client.events.ts';
import type { Resolved } from '../../../machines/client/spec-port.ts';
import { burst } from '../../../machines/computer/connect-permits.ts';
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
} from './mutant-runs.ts';
import { chart, nothing, parts, type Actions, type Mutant, type Of } from './mutant.ts';

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
    invariant: 'a failed server is tried again only after its pause',
    runs: crashing,
    ...chart('client', [['states', 'waiting', 'entry', '1'], waits((of) => timingIn(of).backoffMs)]),
  },
  {
    what: 'a server that was given up and is launched again at once',
    invariant: 'a server that gave up has at most one trial after each pause',
    runs: crashing,
    ...chart('client', [['states', 'open', 'entry', '1'], waits(() => 1)]),
  },
  {
    what: 'a client that does not wait for its turn',
    invariant: 'a server is launched only when it has a permit',
    ...chart('client', [
      ['states', 'queued', 'always'],
      () => [{ guard: 'needsProcess', target: 'launching' }, { target: 'connected' }],
    ]),
  },
  {
    what: 'a bucket that is never empty',
    invariant: 'server starts are limited in number and rate',
    runs: crashing,
    ...parts('computer', {
      actions: {
        remember: assign((_, { next }: { next: Partial<ComputerContext> }) =>
          next.permits ? { ...next, permits: { ...next.permits, tokens: burst } } : next,
        ),
      },
    }),
  },
];
/** On its way down, and while it is looked at. */
const ways: readonly Mutant[] = [
  {
    what: 'a server that is to go down, and takes calls',
    invariant: 'a closing server takes no calls',
    runs: interrupted,
    ...chart('client', [[...draining, 'on', 'call.request'], () => ({ actions: ['countCall', openCall] })]),
  },
  {
    what: 'a ping in the midst of a call',
    invariant: 'no server is pinged while it handles a call',
    runs: pinged,
    ...parts('client', { guards: { mayPing: (of: Of) => timingIn(of).pingMs > 0 } }),
  },
  {
    what: 'a client that pings a server whose session it has lost',
    invariant: 'what a machine holds is bounded, and released when it ends',
    runs: crashing,
    ...chart('client', [['states', 'recovering', 'entry'], (old: Actions) => [...old, askPing]]),
  },
  {
    what: 'a computer that does not wait for those that start',
    invariant: 'no call is answered with tool not found while a server starts that may have the tool',
    runs: early,
    ...parts('computer', { guards: { mustWait: () => false } }),
  },
  {
    what: 'a computer that forgets what servers wait for',
    invariant: 'a call that waited for a server in vain is told what the server waits for',
    runs: hurried,
    ...parts('computer', { actions: { noteWaits: () => {} } }),
  },
  {
    what: 'calls that waited for a start and are never let go',
    invariant: 'a call that waits for its server is sent when the server is ready',
    runs: lazy,
    ...chart('client', [['states', 'connected', 'states', 'ready', 'entry'], (old: Actions) => old.slice(1)]),
  },
];
/** Another config. */
const configs: readonly Mutant[] = [
  {
    what: 'a rollback that forgets what it was to go back to',
    invariant: 'a server that is rolled back is launched with its previous config',
    runs: misled,
    ...parts('client', { actions: { rollBack: assign({ fallback: null, attempt: 0 }) } }),
  },
  {
    what: 'a server that is taken out, and whose tools stay offered',
    invariant: 'a computer offers the tools that its servers listed',
    runs: takenOut(false),
    ...chart('computer', [
      ['on', 'servers.set', 'actions'],
      () =>
        step<ServersSet>((c, event) => {
          const { opens, messages, next } = reconciled(c, event);
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
    invariant: 'every server in the config has a client',
    runs: takenOut(true),
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
    invariant: 'the next start of a server uses the changed input values',
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
    what: 'a server that runs on with values that are no more',
    invariant: 'the next start of a server uses the changed input values',
    runs: renewed,
    ...parts('client', { guards: { isOtherSpec: () => false, isSpec: () => false } }),
  },
  {
    what: 'a client that is stopped, and goes on asking for other values',
    invariant: 'what a machine holds is bounded, and released when it ends',
    runs: unanswered,
    ...chart('client', [[...ready, 'exit'], nothing]),
  },
];

export const mutantsOfServers: readonly Mutant[] = [...tries, ...ways, ...configs, ...values];
