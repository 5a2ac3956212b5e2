import { assign } from 'xstate';
import type { CatalogListed } from '../../../machines/catalog/catalog.machine.ts';
import type { ComputerContext } from '../../../machines/computer/computer.machine.ts';
import { standing } from '../../../machines/computer/computer.systems.ts';
import type { Edit } from '../../fixtures/altered.ts';
import { calledAnyway, dying, refusing } from './mutant-days.ts';
import { changeable, chart, parts, type Actions, type Mutant } from './mutant.ts';

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
    what: 'a computer that forgets why tools are gone',
    law: 'nobody is told that a tool is not found that was withdrawn',
    days: calledAnyway,
    ...parts('computer', {
      actions: {
        noteListed: assign(({ context }: { context: ComputerContext }, news: CatalogListed) =>
          standing(context, news),
        ),
      },
    }),
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
];
