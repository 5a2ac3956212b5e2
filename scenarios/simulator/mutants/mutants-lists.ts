import { assign } from 'xstate';
import type { CatalogListed } from '../../../machines/catalog/catalog.machine.ts';
import type { ComputerContext } from '../../../machines/computer/computer.machine.ts';
import { standing } from '../../../machines/computer/computer.collections.ts';
import type { Edit } from '../../fixtures/altered.ts';
import { calledAnyway, dying, refusing } from './mutant-runs.ts';
import { changeable, chart, parts, type Actions, type Mutant } from './mutant.ts';

const atOnce = '#catalog.refreshing';
/** Withdrawn, renewed, gathered: what can go wrong with lists. */
export const mutantsOfLists: readonly Mutant[] = [
  {
    what: 'a list that is never taken back',
    invariant: 'a list is withdrawn after too many failures in a row',
    runs: refusing,
    ...parts('catalog', { guards: { isWorn: () => false } }),
  },
  {
    what: 'a list that takes a lost session for a failure of its own',
    invariant: 'a list is withdrawn after too many failures in a row',
    runs: dying,
    ...chart('catalog', [['states', 'refreshing', 'on', 'ask.refused'], ([, ...rest]: Actions) => rest]),
  },
  {
    what: 'a computer that forgets why tools are gone',
    invariant: 'no call of a withdrawn tool is answered with tool not found',
    runs: calledAnyway,
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
    invariant: 'a list is requested once for a burst of changes',
    runs: changeable,
    ...chart(
      'catalog',
      ...['steady', 'settling'].map((state): Edit => [
        ['states', 'ready', 'states', state, 'on', 'list.changed'],
        (old: object) => ({ ...old, target: atOnce }),
      ]),
    ),
  },
];
