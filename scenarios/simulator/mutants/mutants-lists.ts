import { assign } from 'xstate';
import type { CatalogListed } from '../../../machines/catalog/catalog.machine.ts';
import type { ComputerContext } from '../../../machines/computer/computer.machine.ts';
import { standing } from '../../../machines/computer/computer.collections.ts';
import type { Edit } from '../../fixtures/altered.ts';
import { changeable, chart, parts, type Actions, type Mutant } from './mutant.ts';

const atOnce = '#catalog.refreshing';
/** Withdrawn, renewed, gathered: what can go wrong with lists. */
export const mutantsOfLists: readonly Mutant[] = [
  {
    what: 'a list that is never taken back',
    finder: {
      story:
        'two refreshes that fail keep the tools, the third takes them back, a success brings them again (88, 89)',
    },
    ...parts('catalog', { guards: { isWorn: () => false } }),
  },
  {
    what: 'a list that takes a lost session for a failure of its own',
    finder: {
      story: 'a list that was asked for while its server died has not failed, and is offered as it was',
    },
    ...chart('catalog', [['states', 'refreshing', 'on', 'ask.refused'], ([, ...rest]: Actions) => rest]),
  },
  {
    what: 'a computer that forgets why tools are gone',
    finder: {
      story:
        'a call of a tool that was withdrawn is told so, with the last reason, and its host hears of both (93a)',
    },
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
    finder: { invariant: 'a list is requested once for a burst of changes' },
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
