/**
 * Root actor that hosts MCP servers: it keeps one client per configured server and the link to the office, knows
 * which server has which tool, and sends each call to its client. Answers go from the client to the caller directly.
 *
 * booting — clients and link are opened; ends when each client has connected or failed once, or after `bootMs`.
 *           Questions about all servers wait for that, at most `toolsMs`
 * serving — whole (every wanted server is ready, with all of its tools) | degraded (some are not, the others serve)
 * closing — all actors are asked to end; those still open after `shutdownMs` are ended by force
 * closed  — final
 *
 * A client or link whose machine failed is reopened a few times, so one bad server never stops another.
 */
import { assign, not, setup } from 'xstate';
import { emptyTable } from '../catalog/tool-table.ts';
import { clientKind } from '../client/client.events.ts';
import { effects, post, posts, toOwned } from '../kernel/effects.ts';
import { take, takes } from '../kernel/taken.ts';
import { linkKind } from '../link/link.events.ts';
import { aggregatorKinds } from '../resources/aggregator.rules.ts';
import { blobsKind } from '../blobs/blobs.rules.ts';
import { skillsKind } from '../skills/skills.rules.ts';
import { uploadKind } from '../uploads/upload.rules.ts';
import * as calls from './computer.calls.ts';
import * as lists from './computer.resources.ts';
import * as absence from './absence.rules.ts';
import * as permits from './permits.rules.ts';
import * as rules from './computer.rules.ts';
import { closing, closingRows, rows, type Rows } from './computer.rows.ts';
import type { ComputerContext, ComputerEvent, ComputerInput, Taken } from './computer.events.ts';

const computerSetup = setup({
  types: {
    context: {} as ComputerContext,
    input: {} as ComputerInput,
    events: {} as ComputerEvent,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    take: take<ComputerContext, ComputerEvent, ComputerEvent>(),
    countEnd: assign({ open: ({ context }) => Math.max(0, context.open - 1) }),
  },
  guards: {
    hasDecided: ({ context: c }) => c.waiting.length > 0 && calls.decidedCalls(c).length > 0,
    hasDecidedLists: ({ context: c }) => c.listsWanted.length > 0 && lists.hasDecidedList(c),
    hasBooted: ({ context }) => context.servers.every((s) => !rules.isTrying(context.stages[s.rules.server])),
    isWhole: ({ context }) => rules.isWhole(context),
    isLast: ({ context }) => context.open <= 1,
    hasNone: ({ context }) => context.open === 0,
  },
  delays: {
    boot: ({ context }) => context.timing.bootMs,
    tools: ({ context }) => context.timing.toolsMs,
    shutdown: ({ context }) => context.timing.shutdownMs,
  },
});

export const actionOf = <E>(row: (c: ComputerContext, event: E) => Taken) =>
  takes<ComputerContext, E, ComputerEvent>(row);
const switchboard = (table: Rows) =>
  Object.fromEntries(
    Object.entries(table).map(([type, row]) => [
      type,
      { actions: actionOf(row as (c: ComputerContext, event: unknown) => Taken) },
    ]),
  ) as { readonly [Type in keyof Rows]: { readonly actions: ReturnType<typeof actionOf> } };

const closingOrders = [
  toOwned(clientKind, { type: 'close' }),
  toOwned(linkKind, { type: 'close' }),
  toOwned(aggregatorKinds.desktop, { type: 'close' }),
  toOwned(aggregatorKinds.finder, { type: 'close' }),
  toOwned(skillsKind, { type: 'close' }),
  toOwned(uploadKind, { type: 'close' }),
  toOwned(blobsKind, { type: 'close' }),
].map((params) => ({ type: 'tellOwned', params }) as const);
const tellStage = (stage: 'whole' | 'degraded') =>
  posts((c: ComputerContext) => post(c.owner, { type: 'computer.changed', stage }));
/** Only after the events in the queue, such as the resources of a new server. */
const wakeAsked = actionOf((c) =>
  c.asked !== null && c.asked.length > 0
    ? { timers: [{ id: 'questions', delay: 0, event: { type: 'questions.due' } }] }
    : { next: { asked: null } },
);

export type {
  ComputerContext,
  ComputerNews,
  ComputerOrder,
  ComputerStart,
  ServerPlan,
  ServersSet,
} from './computer.events.ts';

export const computerMachine = computerSetup.createMachine({
  id: 'computer',
  context: ({ input }) => ({
    ...input,
    ...rules.aggregateOf(input),
    stages: Object.fromEntries(input.servers.map((s) => [s.rules.server, 'connecting' as const])),
    configRevision: 0,
    withdrawn: {},
    restless: {},
    reasons: {},
    approved: {},
    recent: [],
    shows: {},
    resources: {},
    listed: {},
    opened: [],
    landing: null,
    uploads: {},
    permits: permits.noPermits,
    spent: {},
    leaving: [],
    givenUp: [],
    waiting: [],
    waited: {},
    asked: [],
    listsWanted: [],
    open: rules.opensOf(input).length,
    reopens: 0,
  }),
  entry: [
    { type: 'openAll', params: ({ context }) => ({ opens: rules.opensOf(context) }) },
    /** At once, because lists of the last run are known before the servers start. */
    {
      type: 'postAll',
      params: ({ context }) => ({ messages: absence.refusedNews(context, emptyTable, context.table) }),
    },
  ],
  initial: 'booting',
  always: [
    { guard: 'hasDecided', actions: actionOf(calls.callsDecided) },
    { guard: 'hasDecidedLists', actions: actionOf(lists.listsDecided) },
  ],
  on: { ...switchboard(rows), close: '.closing' },
  states: {
    booting: {
      tags: 'connecting',
      always: { guard: 'hasBooted', target: 'serving' },
      after: { boot: 'serving', tools: { actions: wakeAsked } },
      exit: wakeAsked,
    },
    serving: {
      tags: 'ready',
      initial: 'judging',
      states: {
        judging: { always: [{ guard: 'isWhole', target: 'whole' }, { target: 'degraded' }] },
        whole: { entry: tellStage('whole'), always: { guard: not('isWhole'), target: 'degraded' } },
        degraded: { entry: tellStage('degraded'), always: { guard: 'isWhole', target: 'whole' } },
      },
    },
    closing: {
      tags: 'closing',
      entry: [actionOf(closing), ...closingOrders],
      on: {
        ...switchboard(closingRows),
        'owned.ended': [{ guard: 'isLast', target: 'closed' }, { actions: 'countEnd' }],
        close: {},
      },
      always: { guard: 'hasNone', target: 'closed' },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
