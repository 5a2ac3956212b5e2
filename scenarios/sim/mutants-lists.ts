import type { Edit } from '../fixtures/altered.ts';
import { dying, forgetful, forgotten, refusing } from './mutant-days.ts';
import { changeable, chart, parts, type Actions, type Mutant, type Of } from './mutant.ts';

const atOnce = '#catalog.refreshing';
/** Withdrawn, renewed, gathered: what can go wrong with lists. */
export const mutantsOfLists: readonly Mutant[] = [
  {
    what: 'a list that is never taken back',
    law: 'a list is taken back when it failed too often in a row',
    days: refusing,
    ...parts('catalog', { guards: { isWorn: () => false } }),
  },
  {
    what: 'a list that is taken back at its first failure',
    law: 'a list is taken back when it failed too often in a row',
    days: refusing,
    ...parts('catalog', { guards: { isWorn: () => true } }),
  },
  {
    what: 'a list that takes a lost session for a failure of its own',
    law: 'a list is taken back when it failed too often in a row',
    days: dying,
    ...chart('catalog', [['states', 'refreshing', 'on', 'ask.refused'], ([, ...rest]: Actions) => rest]),
  },
  {
    what: 'a list that is asked for with each notice of a burst',
    law: 'a list is asked for when its server has told all its changes',
    days: changeable,
    ...chart(
      'catalog',
      ...['steady', 'settling'].map((state): Edit => [
        ['states', 'ready', 'states', state, 'on', 'list.changed'],
        (old: object) => ({ ...old, target: atOnce }),
      ]),
    ),
  },
  {
    what: 'a session that is renewed, and whose lists are not',
    law: 'a server is ready when its tools are known',
    days: forgotten,
    weather: forgetful,
    ...chart('client', [
      ['states', 'connected', 'states', 'handshaking', 'on', 'session.opened'],
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
];
