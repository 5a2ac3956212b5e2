import { assign } from 'xstate';
import type { Context as Whole, ResourcesListed } from '../../machines/aggregator.words.ts';
import { filled, listed } from '../../machines/aggregator.rules.ts';
import type { Post } from '../../machines/effects.ts';
import type { ShelfFilled } from '../../machines/shelf.machine.ts';
import type { Plan, Step } from '../dsl/plan.ts';
import { parseFaults } from '../faults/fault.ts';
import { showsTheTruth } from '../truth-shown.ts';
import {
  calm,
  chart,
  fromHealing,
  nothing,
  orders,
  parts,
  wait,
  type Actions,
  type Mutant,
  type Of,
} from './mutant.ts';

const answered = 'every question for a Desktop, a Finder or a resource is answered once, and in time';
const told = 'a Desktop or a Finder is told to have changed when it has, and only then';
const toldOffice = 'an office hears of each change of a Desktop or a Finder while its computer sits there';
const unasked = 'an unchanged Desktop or Finder asks no server';
const named = 'an answer names the servers of which something is missing, and no others';

let asks = 0;
const shows = (): Step[] =>
  (['desktop', 'finder'] as const).map((system): Step => {
    asks += 1;
    return { do: 'show', ask: `shown${asks}`, by: 'host', system, query: {} };
  });
/** Servers that are well but for this show windows and documents; each of some calls is followed by questions. */
const showing =
  (faults: readonly object[], then: (plan: Plan) => readonly Step[] = () => []) =>
  (plan: Plan): Plan => {
    asks = 0;
    const servers = calm(plan).map(({ name, tools = {}, hearsChanges: _, isLazy: _lazy, ...server }) => ({
      ...{ ...server, name, tools, faults: parseFaults(faults), restart: true },
      resources: [`window://${name}/1`, `window://${name}/2`, `dpe://${name}/d1`, `note://${name}/1`],
    }));
    const calls = servers.flatMap(({ tools }, n): Step[] => {
      const call = `called${n}`;
      const tool = Object.keys(tools)[0] ?? 'nothing';
      return [{ do: 'call', call, by: 'host', tool, reqId: call, timeoutMs: 60_000 }];
    });
    return {
      ...{ ...plan, servers, timing: { shelfMs: 500, readMs: 500 } },
      steps: [
        ...[wait(2_000), ...shows(), wait(2_000), ...calls, wait(30_000), ...shows(), wait(2_000)],
        ...[...then(plan), wait(5_000), ...fromHealing(plan).filter((step) => step.do !== 'start')],
      ],
    };
  };
const change = { fault: 'resource.change', n: 5, everyMs: 20 };
const never = { fault: 'rpc.never', when: 'read', times: 1 };
const stopped = (plan: Plan): Step[] => orders(plan, 'stop');
const closed = (): Step[] => [...shows(), wait(1), { do: 'close', who: 'computer' }];

/** One machine is both, under two names. */
const wholes = ({ kinds }: ReturnType<typeof chart>) => ({
  kinds: { ...kinds, finder: kinds['desktop'] as NonNullable<(typeof kinds)[string]> },
});
type Letters = (of: Of) => { readonly letters: readonly Post[] };
const without =
  (type: string) =>
  (old: Letters) =>
  (of: Of): ReturnType<Letters> => ({ letters: old(of).letters.filter(({ event }) => event.type !== type) });
/** Of what is opened, told and remembered when something changed: only that there is news. */
const onlyNews = () => ({ actions: assign({ isNews: true }) });
interface Does {
  readonly actions: Actions;
}

/** What a computer shows of its servers. */
export const mutantsOfShown: readonly Mutant[] = [
  {
    what: 'a Desktop that tells of a change and takes what it knows for what is',
    law: showsTheTruth,
    days: showing([change]),
    ...wholes(chart('desktop', [['on', 'resource.updated'], onlyNews])),
  },
  {
    what: 'a computer that passes no change of a resource on to its Desktop',
    law: showsTheTruth,
    days: showing([change]),
    ...chart('computer', [['on', 'resource.updated', 'actions'], (old: Actions) => old.slice(0, 1)]),
  },
  {
    what: 'a Desktop that tells of every list',
    law: told,
    days: showing([{ fault: 'resource.renew' }]),
    ...wholes(
      parts('desktop', {
        actions: {
          noteListed: assign(({ context }: { context: Whole }, event: ResourcesListed) => ({
            ...listed(context, event).next,
            isNews: true,
          })),
        },
      }),
    ),
  },
  {
    what: 'a Desktop that tells of each change of a burst',
    law: told,
    days: showing([change]),
    ...wholes(parts('desktop', { delays: { coalesce: 0 } })),
  },
  {
    what: 'a Desktop that closes and forgets who waits',
    law: answered,
    days: showing([{ fault: 'rpc.never', when: 'read', from: 4 }, { fault: 'resource.lie' }], closed),
    ...wholes(chart('desktop', [['on', 'close', 'actions'], nothing])),
  },
  {
    what: 'a server that hangs and holds up all others',
    law: answered,
    days: showing([never]),
    ...chart('shelf', [['states', 'reading', 'after'], nothing]),
  },
  {
    what: 'a computer that shows what a server had that is stopped',
    law: showsTheTruth,
    days: showing([change], stopped),
    ...chart('computer', [['on', 'client.changed', 'actions', '0', 'params'], without('resources.listed')]),
  },
  {
    what: 'a read that goes to another server',
    law: showsTheTruth,
    days: showing([]),
    ...chart('read', [
      ['states', 'reading', 'entry', 'params'],
      (old: (of: Of) => object) => (of: Of) => ({ ...old(of), session: 'computer/client:s1' }),
    ]),
  },
  {
    what: 'a Desktop that wants to hear of nothing',
    law: showsTheTruth,
    days: showing([change]),
    ...wholes(
      chart('desktop', [['on', 'resources.listed', 'actions', '1', 'params'], without('resources.watch')]),
    ),
  },
  {
    what: 'a shelf that reads all of it anew with each question',
    law: unasked,
    days: showing([{ fault: 'resource.lie' }]),
    ...parts('shelf', {
      actions: {
        noteFill: assign({
          stale: ({ context }: { context: { uris: readonly string[]; stale: unknown } }) => context.uris,
        }),
      },
    }),
  },
  {
    what: 'a Desktop that does not say what is missing',
    law: named,
    days: showing([{ fault: 'resource.gone', times: 1 }]),
    ...wholes(
      parts('desktop', {
        actions: {
          noteFilled: assign(({ context }: { context: Whole }, news: ShelfFilled) =>
            filled(context, { ...news, reason: null }),
          ),
        },
      }),
    ),
  },
  {
    what: 'a link that keeps a change of what is shown to itself',
    law: toldOffice,
    days: (plan) => ({ ...showing([change])(plan), office: true }),
    ...chart('link', [
      ['states', 'online', 'states', 'joined', 'on', 'aggregate.changed'],
      (old: Does) => ({ ...old, actions: [] }),
    ]),
  },
];
