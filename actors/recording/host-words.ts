/** Only this file knows both the public words and the messages. Public words never change without a new trace format. */
import type { EventObject } from 'xstate';
import { addressFor, type Address, message, type CheckedMessage } from '../../machines/kernel/effects.ts';
import { timing, type Timing } from '../../machines/kernel/timing.ts';
import { stateFor } from '../../machines/server-state.ts';
import type { HostWords } from '../../machines/trace/channels.ts';
import { closedFailure } from '../kernel/errors.ts';
import { settledBy, type CallSettled } from '../../machines/call/call.rules.ts';
import type { GivenConfig } from '../plans/given-config.ts';
import type { Fields } from '../../machines/protocol/json.ts';

type HostWord = EventObject & Fields;
const word = (type: string, fields: object): HostWord => ({ type, ...fields });
/** `orElse` is sent to the host when no actor takes the message. */
export interface WordMessage {
  readonly event: EventObject;
  readonly orElse?: CheckedMessage;
}
/** Makes the plans of servers from the config that a trace holds. Throws an `A2cError` when it cannot be read. */
export type Planned = (given: GivenConfig) => object;
interface Row {
  readonly word: (event: HostWord, given: object | undefined) => HostWord;
  readonly order: (word: HostWord, host: Address, planned: Planned) => WordMessage;
}
const same: Row = {
  word: (event) => event,
  order: (event, host) => ({ event: word(event.type, { replyTo: host, ...event }) }),
};
const renamed = (type: string, wordType: string): Row => ({
  word: ({ type: _, ...fields }) => word(wordType, fields),
  order: ({ type: _, ...fields }) => ({ event: word(type, fields) }),
});
const ofServer = (type: string, wordType: string): Row => ({
  word: ({ server }) => word(wordType, { name: server }),
  order: ({ name }) => ({ event: word(type, { server: name }) }),
});
export const closedCall = (ticket: string, reqId: string, tool: string): CallSettled =>
  settledBy({ ticket, reqId, server: '', tool }, 'failed', closedFailure);
/** Makes the ticket of a call from its id on the wire, which hosts use unless they make their own tickets. */
const ticketFor = (reqId: unknown): string => `host.${String(reqId)}`;
const untold = ({ ticket, ...fields }: HostWord): HostWord =>
  ticket === ticketFor(fields['reqId']) ? fields : { ...fields, ticket };

const callRow = (type: string): Row => ({
  word: (event) => {
    const { type: _, params, agent, isConfirmed, wantsProgress, ...call } = untold(event);
    return word('callTool', {
      ...call,
      arguments: params,
      ...(typeof agent === 'string' && { agent }),
      ...(isConfirmed === true && { confirmed: true }),
      ...(wantsProgress !== true && { progress: false }),
    });
  },
  order: ({ type: _, arguments: params, confirmed = false, progress = true, ...call }, host) => {
    const { reqId, tool, ticket = ticketFor(reqId), agent = null, replyTo = host } = call as Fields;
    const ids = { ticket: ticket as string, reqId: reqId as string };
    const own = type === 'call.request' ? { agent, isConfirmed: confirmed } : {};
    return {
      event: word(type, {
        ...call,
        ...own,
        ...ids,
        params,
        replyTo,
        ...(progress === true && { wantsProgress: true }),
      }),
      orElse: message(addressFor(host), closedCall(ids.ticket, ids.reqId, tool as string)),
    };
  },
});
const questionRow = (type: string, wordOf: (event: HostWord) => string, answer: string | undefined): Row => ({
  word: (event) => word(wordOf(event), { ...untold(event), type: wordOf(event) }),
  order: ({ type: _, ...fields }, host) => {
    const { reqId, ticket = ticketFor(reqId) } = fields as Fields;
    const asked = word(type, { ...fields, ticket, replyTo: (fields as Fields)['replyTo'] ?? host });
    const ended =
      answer === undefined
        ? closedCall(String(ticket), String(reqId), '')
        : word(answer, { ticket, reqId, failure: closedFailure });
    return { event: asked, orElse: message<EventObject>(addressFor(host), ended) };
  },
});

/** By kind of root and type of message. A message without a row is recorded unchanged. */
export const orders: Readonly<
  Record<string, Readonly<Record<string, readonly [wordType: string, row: Row]>>>
> = {
  computer: {
    'call.request': ['callTool', callRow('call.request')],
    'call.cancel': ['cancelCall', renamed('call.cancel', 'cancelCall')],
    'server.start': ['startServer', ofServer('server.start', 'startServer')],
    'server.stop': ['stopServer', ofServer('server.stop', 'stopServer')],
    'servers.set': [
      'setServers',
      {
        word: ({ type: _, ...plan }, given) => word('setServers', given ?? { plan }),
        order: ({ type: _, plan, ...given }, _host, planned) => ({
          event: word(
            'servers.set',
            (plan as object | undefined) ?? planned(given as unknown as GivenConfig),
          ),
        }),
      },
    ],
    'resources.watch': ['watchResources', renamed('resources.watch', 'watchResources')],
    'aggregate.wanted': ['show', questionRow('aggregate.wanted', () => 'show', 'aggregate.shown')],
    'resource.wanted': [
      'readResource',
      questionRow('resource.wanted', () => 'readResource', 'resource.read'),
    ],
    'office.join': ['join', renamed('office.join', 'join')],
    'office.leave': ['leave', renamed('office.leave', 'leave')],
  },
  agent: {
    'agent.call': ['callTool', callRow('agent.call')],
    'agent.query': ['ask', questionRow('agent.query', () => 'ask', undefined)],
    'agent.follow': ['follow', renamed('agent.follow', 'follow')],
    'call.cancel': ['cancelCall', renamed('call.cancel', 'cancelCall')],
  },
};

const changedTiming = (all: Timing): Partial<Timing> =>
  Object.fromEntries(Object.entries(all).filter(([key, ms]) => timing[key as keyof Timing] !== ms));
type Started = Fields & { readonly timing?: Timing };
const startName = (kind: string): string => `create${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
function startWord(kind: string, { type: _, ...input }: HostWord, given: object | undefined): HostWord {
  const started = input as Started;
  const times = started.timing && { timing: changedTiming(started.timing) };
  const name = startName(kind);
  if (kind !== 'computer') return word(name, { ...input, ...times });
  const { servers, shown, ...rest } = started;
  return word(name, { ...rest, ...times, ...(given ?? { plan: { servers, shown } }) });
}
export function startInput(kind: string, { type: _, ...given }: HostWord, planned: Planned): object {
  const { timing: times, plan, config, known, policy, shown, ...rest } = given as Fields;
  const whole = times === undefined ? {} : { timing: { ...timing, ...(times as Partial<Timing>) } };
  if (kind !== 'computer') return { ...given, ...whole };
  const servers = plan ?? planned({ config, known, policy, shown } as unknown as GivenConfig);
  return { ...rest, ...whole, ...servers };
}
/** Undefined when the machine gets the fields unchanged, not a plan made from the config. */
export function givenIn(said: EventObject): object | undefined {
  const { config, policy, known, shown } = said as EventObject & Partial<GivenConfig>;
  return config && { config, policy, known, ...(shown && { shown }) };
}
export function orderOf(kind: string, said: HostWord, host: Address, planned: Planned): WordMessage {
  const rows = Object.values(orders[kind] ?? {});
  const row = rows.find(([wordType]) => wordType === said.type)?.[1] ?? same;
  return row.order(said, host, planned);
}

type News = (event: HostWord) => HostWord;
const named =
  (type: string): News =>
  ({ server, ...fields }) =>
    word(type, { ...fields, type, name: server });
export const newsRows: Readonly<Record<string, News>> = {
  'client.changed': ({ server, stage, failure, nextTryMs }) =>
    word('server.changed', {
      name: server,
      state: stateFor(stage as Parameters<typeof stateFor>[0], failure as Parameters<typeof stateFor>[1]),
      failure,
      nextTryMs,
    }),
  'server.rolledBack': named('server.rolledBack'),
  'server.removed': named('server.removed'),
  'tools.withdrawn': named('tools.withdrawn'),
  'tools.refused': named('tools.refused'),
  'list.restless': named('list.restless'),
  'catalog.changed': ({ server, list, added, removed, changed, why }) =>
    word('list.changed', { name: server, list, added, removed, changed, why }),
  'computer.changed': ({ stage }) => word('computer.changed', { state: stage }),
  'link.changed': ({ stage, reason, refusal }) => word('link.changed', { state: stage, reason, refusal }),
  'aggregate.changed': ({ collection }) => word(`${String(collection)}.changed`, {}),
  'aggregate.noticed': ({ text }) => word('notice', { text }),
  'aggregate.shown': (event) => word('shown', { ...untold(event), type: 'shown' }),
  'machine.failed': ({ error }) => word('notice', { text: error }),
  'owned.ended': ({ why, error }) => word('closed', { why, ...(error !== undefined && { error }) }),
  'call.settled': untold,
  'call.progressed': (event) => ({ ...untold(event), type: 'call.progress' }),
  'computer.entered': ({ computer }) => word('computer.joined', { computer }),
  'computer.configChanged': ({ computer }) => word('config.changed', { computer }),
  'view.toolsChanged': ({ type: _, ...view }) => word('tools.changed', view),
  'view.collectionChanged': ({ type: _, collection, ...view }) => word(`${String(collection)}.changed`, view),
  'room.known': ({ computers }) => word('computers', { computers }),
};

export const apiWords = (kinds: readonly string[]): readonly string[] => [
  ...kinds.map(startName),
  ...Object.values(orders).flatMap((rows) => Object.values(rows).map(([wordType]) => wordType)),
  ...Object.values(newsRows).flatMap((news) =>
    ['desktop', 'finder'].map((collection) => news(word('', { collection })).type),
  ),
];
export const hostWords: HostWords = {
  order: (kind, event, given) => {
    if (event.type === 'start') return startWord(kind, event, given);
    const row = orders[kind]?.[event.type]?.[1] ?? same;
    return row.word(event, given);
  },
  news: (_kind, event) => (newsRows[event.type] ?? ((each) => each))(event),
};
