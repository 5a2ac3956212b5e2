import { requestAnsweredOnce } from '../../invariants/resources/request-answered-once.invariant.ts';
import { assign } from 'xstate';
import {
  afterRefresh,
  afterList,
  type AggregatorContext as Whole,
  type ResourcesListed,
} from '../../../machines/resources/aggregator.rules.ts';
import type { Post } from '../../../machines/kernel/effects.ts';
import type { CacheRefreshed, CacheOrder } from '../../../machines/resources/server-cache.machine.ts';
import {
  afterRefresh as refreshing,
  type CacheContext as ServerCache,
} from '../../../machines/resources/server-cache.rules.ts';
import type { Plan, Step } from '../../stage/plan/plan.ts';
import { parseFaults } from '../../fault-server/words/fault.ts';
import { showsTheTruth } from '../../invariants/truth-shown.ts';
import {
  calmServers,
  withChart,
  fromClearing,
  doNothing,
  orderSteps,
  withImplementations,
  waitStep,
  type Actions,
  type Mutant,
  type ChartArguments,
} from './mutant.ts';

const answered = requestAnsweredOnce.invariant;

let asks = 0;
const shows = (): Step[] =>
  (['desktop', 'finder'] as const).map((collection): Step => {
    asks += 1;
    return { do: 'show', ask: `shown${asks}`, by: 'host', collection, query: {} };
  });
/** Servers that are well but for this show windows and documents; each of some calls is followed by questions. */
const showing =
  (faults: readonly object[], then: (plan: Plan) => readonly Step[] = () => []) =>
  (plan: Plan): Plan => {
    asks = 0;
    const servers = calmServers(plan).map(
      ({ name, tools = {}, hearsChanges: _, isLazy: _lazy, ...server }) => ({
        ...server,
        name,
        tools,
        faults: parseFaults(faults),
        restart: true,
        resources: [
          `window://${name}/1`,
          `window://${name}/2`,
          `dpe://${name}/d1`,
          `note://${name}/1`,
          `window://${name}/3?priority=101`,
        ],
      }),
    );
    const calls = servers.flatMap(({ tools }, n): Step[] => {
      const call = `called${n}`;
      const tool = Object.keys(tools)[0] ?? 'nothing';
      return [{ do: 'call', call, by: 'host', tool, reqId: call, timeoutMs: 60_000 }];
    });
    return {
      ...plan,
      servers,
      timing: { aggregateMs: 500, readMs: 500 },
      steps: [
        ...[
          waitStep(2_000),
          ...shows(),
          waitStep(2_000),
          ...calls,
          waitStep(30_000),
          ...shows(),
          waitStep(2_000),
        ],
        ...[...then(plan), waitStep(5_000), ...fromClearing(plan).filter((step) => step.do !== 'start')],
      ],
    };
  };
const change = { fault: 'resource.change', n: 5, everyMs: 20 };
const never = { fault: 'rpc.never', when: 'read', times: 1 };
const stopped = (plan: Plan): Step[] => orderSteps(plan, 'stop');
const on = (state: object): object => (state as { readonly on?: object }).on ?? {};
const deaf = { 'aggregate.changed': {} };
const closed = (): Step[] => [...shows(), waitStep(1), { do: 'close', who: 'computer' }];

const open = ['states', 'open'];
/** One machine is both, under two names. */
const wholes = ({ kinds }: ReturnType<typeof withChart>) => ({
  kinds: { ...kinds, finder: kinds['desktop'] as NonNullable<(typeof kinds)[string]> },
});
type Messages = (of: ChartArguments) => { readonly messages: readonly Post[] };
const without =
  (type: string) =>
  (old: Messages) =>
  (of: ChartArguments): ReturnType<Messages> => ({
    messages: old(of).messages.filter(({ event }) => event.type !== type),
  });
type Refresh = Extract<CacheOrder, { type: 'cache.refresh' }>;
/** Only what is said exactly as it is listed counts. */
const exact = (old: readonly { readonly params: (of: ChartArguments) => unknown }[]) =>
  old.map((action) => ({
    ...action,
    params: (of: ChartArguments) => {
      const caches = Object.values((of.context as unknown as Whole).caches);
      const isListed = caches.some(({ listed: { uris } }) => uris.includes(String(of.event['uri'])));
      return action.params(isListed ? of : { ...of, event: { ...of.event, uri: 'none' } });
    },
  }));
const waitingAgain = ({ context }: { context: ServerCache }, refresh: Refresh) => {
  const next = { ...context, ...refreshing(context, refresh) };
  return { ...next, slow: [], stale: [...new Set([...next.stale, ...next.slow])] };
};
interface Does {
  readonly actions: Actions;
}

/** Mutants of what a computer shows of its servers. */
export const mutantsOfShown: readonly Mutant[] = [
  {
    what: 'a computer that passes no change of a resource on to its Desktop',
    finder: { invariant: showsTheTruth },
    runs: showing([change]),
    ...withChart('computer', [['on', 'resource.updated', 'actions'], (old: Actions) => old.slice(0, 1)]),
  },
  {
    what: 'a Desktop that tells of every list',
    finder: {
      story:
        'a change is told at once, then at most once in each while, and what has changed is read again; no other',
    },
    ...wholes(
      withImplementations('desktop', {
        actions: {
          noteListed: assign(({ context }: { context: Whole }, event: ResourcesListed) => ({
            ...afterList(context, event).next,
            isNews: true,
            hasLost: true,
          })),
        },
      }),
    ),
  },
  {
    what: 'a Desktop that closes and forgets who waits',
    finder: { invariant: answered },
    runs: showing([{ fault: 'rpc.never', when: 'read', from: 4 }, { fault: 'resource.lie' }], closed),
    ...wholes(withChart('desktop', [[...open, 'on', 'close', 'actions'], doNothing])),
  },
  {
    what: 'a server that hangs and holds up all others',
    finder: { invariant: showsTheTruth },
    runs: showing([never]),
    kinds: {
      ...wholes(withChart('desktop', [[...open, 'on', 'question.late'], doNothing])).kinds,
      ...withChart('cache', [['states', 'open', 'states', 'timing', 'states', 'ticking', 'after'], doNothing])
        .kinds,
    },
  },
  {
    what: 'a computer that shows what a server had that is stopped',
    finder: { invariant: showsTheTruth },
    runs: showing([change], stopped),
    ...withChart('computer', [
      ['on', 'client.changed', 'actions', '0', 'params'],
      without('resources.listed'),
    ]),
  },
  {
    what: 'a read that goes to another server',
    finder: { invariant: showsTheTruth },
    runs: showing([]),
    ...withChart('read', [
      ['states', 'reading', 'entry', 'params'],
      (old: (of: ChartArguments) => object) => (of: ChartArguments) => ({
        ...old(of),
        target: 'computer/client:s1',
      }),
    ]),
  },
  {
    what: 'a server cache that reads all of it again with each question',
    finder: {
      story:
        'a change is told at once, then at most once in each while, and what has changed is read again; no other',
    },
    ...withImplementations('cache', {
      actions: {
        noteRefresh: assign(({ context }: { context: ServerCache }, refresh: Refresh) => ({
          ...refreshing(context, refresh),
          stale: context.uris,
        })),
      },
    }),
  },
  {
    what: 'a Desktop that does not say what is missing',
    finder: {
      story:
        'a server that does not answer costs its own windows, and the answer says so; the next one does not wait for it',
    },
    ...wholes(
      withImplementations('desktop', {
        actions: {
          noteRefreshed: assign(({ context }: { context: Whole }, news: CacheRefreshed) =>
            afterRefresh(context, { ...news, refused: [] }),
          ),
        },
      }),
    ),
  },
  {
    what: 'a server cache that waits for what hangs with each question',
    finder: {
      story:
        'a window that hangs is waited for once: the next answers come at once and name it, and it is told of when it has come',
    },
    ...withImplementations('cache', { actions: { noteRefresh: assign(waitingAgain) } }),
  },
  {
    what: 'a Desktop that hears of a change only where it is written as it is listed',
    finder: {
      story: 'a window that is listed with a query and told of without its query is told of and read again',
    },
    ...wholes(withChart('desktop', [[...open, 'on', 'resource.updated', 'actions'], exact])),
  },
  {
    what: 'a Desktop that drops what is said of a window that is not listed',
    finder: {
      story:
        'a server that tells of something that it has not listed is asked for its list: the desktop has it, and says so',
    },
    ...wholes(
      withChart('desktop', [
        [...open, 'on', 'resource.updated', 'actions', '1', 'params'],
        without('resources.relist'),
      ]),
    ),
  },
  {
    what: 'a link that keeps a change of what is shown to itself',
    finder: { story: 'an office hears of each change of Desktop and Finder while the computer sits in it' },
    ...withChart('link', [
      ['states', 'online', 'states', 'joined', 'on', 'aggregate.changed'],
      (old: Does) => ({ ...old, actions: [] }),
    ]),
  },
  {
    what: 'a link that hears of no change of what is shown while it is away',
    finder: {
      story:
        'what changed while its computer was away is announced after it came back, one announcement for each of the two',
    },
    ...withChart('link', [['states', 'waiting'], (old: object) => ({ ...old, on: { ...on(old), ...deaf } })]),
  },
];
