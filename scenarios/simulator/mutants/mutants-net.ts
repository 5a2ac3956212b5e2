import { forgotten, refusing401, tornOff } from './mutant-runs.ts';
import { chart, ignored, parts, type Actions, type Mutant, type Of } from './mutant.ts';

const handshaking = ['states', 'connected', 'states', 'handshaking', 'on', 'session.opened'] as const;

/** Servers behind a URL: sessions that are forgotten, doors that are shut, answers that break off. */
export const mutantsOfNet: readonly Mutant[] = [
  {
    what: 'a session that is renewed, and whose lists are not',
    invariant: 'a server is ready only when its tools are known',
    runs: forgotten,
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
    invariant: 'a forgotten session is renewed at once, and only once',
    runs: forgotten,
    ...parts('client', {
      guards: { canRenew: (_: Of, { isExpired }: { isExpired?: boolean }) => isExpired === true },
    }),
  },
  {
    what: 'a forgotten session that counts as a failure',
    invariant: 'a forgotten session is renewed at once, and only once',
    runs: forgotten,
    ...parts('client', { guards: { canRenew: () => false } }),
  },
  {
    what: 'a watch that takes the subscriptions of a forgotten session for its own',
    invariant: 'a renewed session is asked for everything that the forgotten one was asked for',
    runs: forgotten,
    ...chart('watch', [['states', 'ready', 'on', 'watch.open'], ignored]),
  },
  {
    what: 'a call whose answer broke off, and that waits for news of a server that lives',
    invariant: 'a call is settled at once when its question has an answer',
    runs: tornOff,
    ...parts('call', { guards: { isLost: (_: Of, { lost }: { lost?: boolean }) => lost === true } }),
  },
  {
    what: 'a login that was refused, and is tried again and again',
    invariant: 'a refused login is not repeated until somebody changes something',
    runs: refusing401,
    ...parts('client', { guards: { isHopeless: () => false, wantsLogin: () => false } }),
  },
];
