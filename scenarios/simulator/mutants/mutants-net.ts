import { send } from '../../../machines/call/call.asks.ts';
import type { Edit } from '../../fixtures/altered.ts';
import { forgotten, refusing401, tornOff } from './mutant-days.ts';
import { chart, ignored, parts, type Actions, type Mutant, type Of } from './mutant.ts';

interface Letters {
  readonly letters: readonly { readonly to: string }[];
}
const handshaking = ['states', 'connected', 'states', 'handshaking', 'on', 'session.opened'] as const;
/** What is told to the lists of a session that was renewed, but for resources. */
const withoutResources: Edit = [
  [...handshaking, '0', 'actions', '2', 'params'],
  (old: (of: Of) => Letters) => (of: Of) => ({
    letters: old(of).letters.filter(({ to }) => !of.context['isRenewed'] || !to.endsWith(':resources')),
  }),
];

/** Servers behind a URL: sessions that are forgotten, doors that are shut, answers that break off. */
export const mutantsOfNet: readonly Mutant[] = [
  {
    what: 'a session that is renewed, and whose lists are not',
    law: 'a server is ready when its tools are known',
    days: forgotten,
    ...chart('client', [
      handshaking,
      (ways: Actions) => [
        {
          guard: ({ context }: Of) => context['isRenewed'],
          target: 'ready',
          actions: { type: 'rememberInfo', params: ({ event }: Of) => event },
        },
        ...ways,
      ],
    ]),
  },
  {
    what: 'a session that is renewed again and again',
    law: 'a session that was forgotten is renewed at once, and once',
    days: forgotten,
    ...parts('client', {
      guards: { canRenew: (_: Of, { isExpired }: { isExpired?: boolean }) => isExpired === true },
    }),
  },
  {
    what: 'a forgotten session that counts as a failure',
    law: 'a session that was forgotten is renewed at once, and once',
    days: forgotten,
    ...parts('client', { guards: { canRenew: () => false } }),
  },
  {
    what: 'a renewal after which the resources are taken for what they were',
    law: 'what a forgotten session was asked for the next one is asked for, too',
    days: forgotten,
    ...chart('client', withoutResources),
  },
  {
    what: 'a watch that takes the subscriptions of a forgotten session for its own',
    law: 'what a forgotten session was asked for the next one is asked for, too',
    days: forgotten,
    ...chart('watch', [['states', 'ready', 'on', 'watch.open'], ignored]),
  },
  {
    what: 'a call that is sent again when its session was forgotten',
    law: 'a call is sent at most once',
    days: forgotten,
    ...chart('call', [['states', 'severed', 'on', 'call.go'], () => ({ target: 'running', actions: send })]),
  },
  {
    what: 'a call whose answer broke off, and that waits for news of a server that lives',
    law: 'a call whose question has its answer is settled at once',
    days: tornOff,
    ...parts('call', { guards: { isLost: (_: Of, { lost }: { lost?: boolean }) => lost === true } }),
  },
  {
    what: 'a login that was refused, and is tried again and again',
    law: 'who is not let in does not ask again until somebody changes something',
    days: refusing401,
    ...parts('client', { guards: { isHopeless: () => false } }),
  },
];
