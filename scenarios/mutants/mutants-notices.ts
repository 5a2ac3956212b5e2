import { dropEntries, type CatalogNews } from '../../machines/catalog/catalog.machine.ts';
import { actionOf } from '../../machines/computer/computer.machine.ts';
import { listTakenIn } from '../../machines/computer/computer.rows.ts';
import type { Timing } from '../../machines/kernel/timing.ts';
import type { Plan } from '../stage/plan/plan.ts';
import { parseFaults } from '../fault-server/words/fault.ts';
import { offersTheTruth } from '../invariants/truth.ts';
import {
  calmServers,
  withChart,
  ignoredEvent,
  doNothing,
  type Actions,
  type Mutant,
  type ChartArguments,
  changeable,
} from './mutant.ts';
import type { Edit } from '../fixtures/altered.ts';

const atOnce = '#catalog.refreshing';
const speaking =
  (timing: Partial<Timing>, ...faults: readonly object[]) =>
  (plan: Plan): Plan => ({
    ...plan,
    servers: calmServers(plan).map((server) => ({ ...server, faults: parseFaults(faults) })),
    timing,
  });
const looks = { pollMs: 2_000, pollDeclaredMs: 2_000 };

interface Change {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}
type Messages = (of: ChartArguments) => { readonly messages: readonly { readonly event: Change }[] };
const answered = ['states', 'refreshing', 'states', 'asking', 'on', 'ask.answered', 'actions'] as const;
const passedOn = ({ context: { server, list, entries, reader, revision } }: ChartArguments) => {
  const event = { type: 'catalog.changed', server, list, entries, revision, why: 'a notice' };
  return { to: reader, event: { ...event, added: [], removed: [], changed: [] }, optional: true };
};

export const mutantsOfNotices: readonly Mutant[] = [
  {
    what: 'a list that is asked for with each notice of a burst',
    finder: { invariant: 'a list is requested once for a burst of changes' },
    runs: changeable,
    ...withChart(
      'catalog',
      ...['steady', 'settling'].map((state): Edit => [
        ['states', 'ready', 'states', state, 'on', 'list.changed'],
        (old: object) => ({ ...old, target: atOnce }),
      ]),
    ),
  },
  {
    what: 'a list that nobody looks at while nothing is told',
    finder: { invariant: offersTheTruth },
    runs: speaking(looks, { fault: 'notify.silentChange' }),
    ...withChart('catalog', [['states', 'ready', 'states', 'steady', 'on', 'deadline.passed'], ignoredEvent]),
  },
  {
    what: 'a list that passes a lie on',
    finder: { story: 'a list that is as it was is no news' },
    ...withChart('catalog', [
      [...answered, '0', 'params'],
      (old: Messages) => (of: ChartArguments) => {
        const { messages } = old(of);
        return { messages: messages.length > 0 ? messages : [passedOn(of)] };
      },
    ]),
  },
  {
    what: 'a list that keeps another description to itself',
    finder: {
      story: 'another description that a server has without saying so is found by the next look, and told',
    },
    ...withChart('catalog', [
      [...answered, '0', 'params'],
      (old: Messages) => (of: ChartArguments) => ({
        messages: old(of).messages.filter(({ event: e }) => e.added.length + e.removed.length > 0),
      }),
    ]),
  },
  {
    what: 'a computer that tells of changed tools, and not which',
    finder: {
      story: 'another description that a server has without saying so is found by the next look, and told',
    },
    ...withChart('computer', [
      ['on', 'catalog.changed', 'actions'],
      () =>
        actionOf<CatalogNews>((c, news) => {
          const { messages = [], next = {} } = listTakenIn(c, news);
          const vague = messages.map((each): object =>
            each.event.type === 'tools.changed' && 'changed' in each.event
              ? { ...each, event: { ...each.event, changed: [] } }
              : each,
          );
          return { messages: vague as typeof messages, next };
        }),
    ]),
  },
  {
    what: 'a list that one page which fails empties',
    finder: { story: 'a list one page of which fails leaves everything as it was, and is asked for again' },
    ...withChart('catalog', [
      ['states', 'refreshing', 'on', 'ask.refused'],
      (ways: Actions) => [
        { target: '#catalog.failing', actions: ['rememberSlow', ...dropEntries(() => 'a page failed')] },
        ...ways,
      ],
    ]),
  },
  {
    what: 'a list that is asked for when a storm is over',
    finder: { invariant: 'a list is requested once for a burst of changes' },
    runs: speaking({ quietMs: 500, longestQuietMs: 1_000 }, { fault: 'notify.storm', everyMs: 200 }),
    ...withChart('catalog', [['states', 'ready', 'states', 'gathering', 'after'], doNothing]),
  },
  {
    what: 'a list that takes what is told after an answer for what was answered',
    finder: { story: 'a tool that announces a change of tools has them fetched again' },
    ...withChart('catalog', [
      ['states', 'ready', 'states', 'steady', 'states', 'fresh', 'on', 'list.changed'],
      ignoredEvent,
    ]),
  },
  {
    what: 'a list whose pages are followed for ever',
    finder: {
      story: 'a change told while tools are fetched is fetched, though that fetch is never answered',
    },
    ...withChart('catalog', [['states', 'refreshing', 'after'], doNothing]),
  },
];
