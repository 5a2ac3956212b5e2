import { chart, ignored, parts, type Actions, type Mutant, type Of } from './mutant.ts';

const handshaking = ['states', 'connected', 'states', 'handshaking', 'on', 'session.opened'] as const;

/** Servers behind a URL: sessions that are forgotten, doors that are shut, answers that break off. */
export const mutantsOfNet: readonly Mutant[] = [
  {
    what: 'a session that is renewed, and whose lists are not',
    finder: { story: 'a session that expired is opened anew, once, and its lists are asked for again' },
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
    finder: { story: 'a session that expires again before it proved itself is a failure, with a pause' },
    ...parts('client', {
      guards: { canRenew: (_: Of, { isExpired }: { isExpired?: boolean }) => isExpired === true },
    }),
  },
  {
    what: 'a forgotten session that counts as a failure',
    finder: {
      story:
        'a session that is forgotten is opened anew, once; the call that met it was not read, and is sent once more',
    },
    ...parts('client', { guards: { canRenew: () => false } }),
  },
  {
    what: 'a watch that takes the subscriptions of a forgotten session for its own',
    finder: {
      story:
        'what was watched in a session that is forgotten is subscribed in the next one, and its lists are asked for',
    },
    ...chart('watch', [['states', 'ready', 'on', 'watch.open'], ignored]),
  },
  {
    what: 'a call whose answer broke off, and that waits for news of a server that lives',
    finder: {
      story: 'an answer that breaks off is unknown at once; where it can be taken up again it comes',
    },
    ...parts('call', { guards: { isLost: (_: Of, { lost }: { lost?: boolean }) => lost === true } }),
  },
  {
    what: 'a login that was refused, and is tried again and again',
    finder: { story: 'a server that wants a login is asked once, and says what to do' },
    ...parts('client', { guards: { isHopeless: () => false, wantsLogin: () => false } }),
  },
];
