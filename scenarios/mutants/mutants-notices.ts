import { machines } from '../../actors/kinds/all.ts';
import { catalogRules, type CatalogNews } from '../../machines/catalog/catalog.machine.ts';
import type { CatalogContext } from '../../machines/catalog/catalog.rules.ts';
import { actionOf } from '../../machines/computer/computer.machine.ts';
import { listTakenIn } from '../../machines/computer/computer.rows.ts';
import { followMachine } from '../../machines/follow/follow.machine.ts';
import { post } from '../../machines/kernel/effects.ts';
import type { Timing } from '../../machines/kernel/timing.ts';
import type { Plan } from '../stage/plan/plan.ts';
import { parseFaults } from '../fault-server/words/fault.ts';
import { offersTheTruth } from '../invariants/truth.ts';
import { calmServers, withChart, ignoredEvent, doNothing, type Mutant, changeable } from './mutant.ts';
import type { Edit } from '../fixtures/altered.ts';

const atOnce = '#catalog.asking';
const steady = ['states', 'between', 'states', 'steady', 'on'] as const;
const withRules = (other: Partial<typeof catalogRules>) => ({
  kinds: { ...machines, catalog: followMachine({ ...catalogRules, ...other }) },
});
const speaking =
  (timing: Partial<Timing>, ...faults: readonly object[]) =>
  (plan: Plan): Plan => ({
    ...plan,
    servers: calmServers(plan).map((server) => ({ ...server, faults: parseFaults(faults) })),
    timing,
  });
const looks = { pollMs: 2_000, pollDeclaredMs: 2_000 };

const isNews = ({ event }: { readonly event: { readonly type: string } }): boolean =>
  event.type === 'catalog.changed';
const passedOn = ({ server, list, entries, reader, revision }: CatalogContext) => {
  const about = { server, list, entries, revision, why: 'a notice', isWithdrawn: false };
  const event: CatalogNews = { type: 'catalog.changed', ...about, added: [], removed: [], changed: [] };
  return post(reader, event, { optional: true });
};

export const mutantsOfNotices: readonly Mutant[] = [
  {
    what: 'a list that is asked for with each notice of a burst',
    finder: { invariant: 'a list is requested once for a burst of changes' },
    runs: changeable,
    ...withChart('catalog', [
      [...steady, 'list.changed'],
      (old: object) => ({ ...old, target: atOnce }),
    ] satisfies Edit),
  },
  {
    what: 'a list that nobody looks at while nothing is told',
    finder: { invariant: offersTheTruth },
    runs: speaking(looks, { fault: 'notify.silentChange' }),
    ...withChart('catalog', [[...steady, 'deadline.passed'], ignoredEvent]),
  },
  {
    what: 'a list that passes a lie on',
    finder: { story: 'a list that is as it was is no news' },
    ...withRules({
      tell: (before, c) => {
        const told = catalogRules.tell(before, c);
        const isRead = before.awaits === 'later' && c.awaits === 'none' && c.came === 'whole';
        return isRead && !told.some(isNews) ? [...told, passedOn(c)] : told;
      },
    }),
  },
  {
    what: 'a list that keeps another description to itself',
    finder: {
      story: 'another description that a server has without saying so is found by the next look, and told',
    },
    ...withRules({
      tell: (before, c) =>
        catalogRules
          .tell(before, c)
          .filter((told) => !isNews(told) || before.entries.length !== c.entries.length),
    }),
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
    ...withRules({
      failed: (c, refusal) => ({
        ...catalogRules.failed?.(c, refusal),
        ...(c.awaits !== 'first' && { entries: [] }),
      }),
    }),
  },
  {
    what: 'a list that is asked for when a storm is over',
    finder: { invariant: 'a list is requested once for a burst of changes' },
    runs: speaking({ quietMs: 500, longestQuietMs: 1_000 }, { fault: 'notify.storm', everyMs: 200 }),
    ...withChart('catalog', [['states', 'between', 'states', 'gathering', 'after'], doNothing]),
  },
  {
    what: 'a list that takes what is told after an answer for what was answered',
    finder: { story: 'a tool that announces a change of tools has them fetched again' },
    ...withChart('catalog', [[...steady, 'list.changed'], ignoredEvent]),
  },
  {
    what: 'a list whose pages are followed for ever',
    finder: {
      story: 'a change told while tools are fetched is fetched, though that fetch is never answered',
    },
    ...withChart('catalog', [['states', 'asking', 'after'], doNothing]),
  },
];
