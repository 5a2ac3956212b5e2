/** What an agent follows of the computers of its office: a view for the tools of each, and for its Desktop and Finder. */
import {
  childOf,
  addressFor,
  keyOf,
  kindOf,
  type Address,
  type AddressFor,
  type Kind,
} from '../kernel/address.ts';
import { linkKind } from '../link/link.setup.ts';
import type { AgentQuery, Context } from './agent.events.ts';
import { open, post, toOwned, type Open, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { collections, type Collection } from './collections/index.ts';
import type { ResourceCollection } from '../resources/collections/index.ts';
import { timingOf } from '../kernel/timing.ts';
import { newsOf } from './view.setup.ts';
import type { ViewOrder, ViewStart } from './view.machine.ts';
import { readRoom } from '../protocol/messages/lists.ts';
import { isForHost, rows, viewOf, type NotificationFact } from '../protocol/notifications.ts';

/** The kinds of root under which views are opened: those of a computer's own systems are called by their bare names. */
const kinds: Readonly<Record<Collection, Kind<ViewStart, ViewOrder>>> = {
  tools: kindOf('view'),
  desktop: kindOf('desktopView'),
  finder: kindOf('finderView'),
};
const all = Object.keys(kinds) as Collection[];
export const linkAt = (c: Context): Address => childOf(c.self, linkKind);
const segmentOf = (computer: string, collection: Collection): string =>
  `${kinds[collection]}:${keyOf(computer)}`;
const viewAt = (c: Context, computer: string, collection: Collection): AddressFor<ViewOrder> =>
  childOf(c.self, kinds[collection], computer);
const openOf = (c: Context, computer: string, collection: Collection): Open =>
  open(
    kinds[collection],
    {
      computer,
      agent: c.link.name,
      collection,
      link: linkAt(c),
      timing: timingOf.view(c.timing),
    },
    { key: computer },
  );
/** Of computers that come: their tools, and what the host follows. */
const opensOf = (c: Context, computers: readonly string[]): Open[] =>
  computers.flatMap((computer) =>
    (['tools', ...c.follows] as const).map((collection) => openOf(c, computer, collection)),
  );
const roomOf = (c: Context, result: unknown): string[] => {
  const read = readRoom(result, reqIdOf(c));
  return read.ok ? read.body.filter((s) => s.role === 'computer').map((s) => s.name) : [];
};
export const reqIdOf = (c: Context): string => `room.${c.link.name}.${c.asked}`;

interface Viewed {
  readonly computer: string;
  readonly collection: Collection;
}
/** What it was a view of; of nothing, when its computer is forgotten already. */
export const viewedBy = (c: Context, { key }: OwnedEnded): Viewed | undefined =>
  c.computers
    .flatMap((computer) => all.map((collection) => ({ computer, collection })))
    .find(({ computer, collection }) => key === segmentOf(computer, collection));

type At<Event> = { readonly context: Context; readonly event: Event };
type OfComputer = { readonly computer: string };
type Answered = { readonly result: unknown };

/** Whoever was in the room before us. */
export const openRoom = [
  {
    type: 'openAll',
    params: ({ context: c, event }: At<Answered>) => ({ opens: opensOf(c, roomOf(c, event.result)) }),
  },
  {
    type: 'add',
    params: ({ context: c, event }: At<Answered>) => ({ names: roomOf(c, event.result) }),
  },
  {
    type: 'post',
    params: ({ context: c, event }: At<Answered>) =>
      post(c.owner, { type: 'room.known', computers: roomOf(c, event.result) }),
  },
] as const;
/** An office that cannot tell who is there: the notices still come. */
export const tellUnknownRoom = {
  type: 'post',
  params: ({ context }: { readonly context: Context }) =>
    post(context.owner, { type: 'room.known', computers: [] }),
} as const;
export const openComer = [
  {
    type: 'openAll',
    params: ({ context: c, event }: At<OfComputer>) => ({ opens: opensOf(c, [event.computer]) }),
  },
  { type: 'add', params: ({ event }: At<OfComputer>) => ({ names: [event.computer] }) },
] as const;
export const closeViews = [
  {
    type: 'postAll',
    params: ({ context: c, event: { computer } }: At<OfComputer>) => ({
      messages: all.map((collection) =>
        post(viewAt(c, computer, collection), { type: 'close' }, { optional: true }),
      ),
    }),
  },
  { type: 'drop', params: ({ event }: At<OfComputer>) => event },
] as const;
/** What follows from the notice of a change: the host hears of it where it is to, and the view that it makes old asks. */
function postsOf(c: Context, fact: NotificationFact): Post[] {
  const told = isForHost(fact) ? [post(c.owner, fact)] : [];
  if (viewOf(fact) !== 'tools') return told;
  const view = viewAt(c, fact.computer, 'tools');
  return [...told, post(view, { type: 'view.refresh' }, { optional: true })];
}
/** Whoever is opened twice is refreshed instead: a change is looked at, whether somebody followed or not. */
function opensAfter(c: Context, fact: NotificationFact): Open[] {
  const view = viewOf(fact);
  if (!view || view === 'tools') return [];
  // Whoever tells of a change without being here is nobody to look at.
  return c.computers.includes(fact.computer) ? [openOf(c, fact.computer, view)] : [];
}
const hearNotification = {
  actions: [
    {
      type: 'postAll',
      params: ({ context, event }: At<NotificationFact>) => ({ messages: postsOf(context, event) }),
    },
    {
      type: 'openAll',
      params: ({ context, event }: At<NotificationFact>) => ({ opens: opensAfter(context, event) }),
    },
  ],
} as const;
export const hearNotifications = Object.fromEntries(
  rows.map(({ fact }) => [fact.type, hearNotification]),
) as Readonly<Record<NotificationFact['type'], typeof hearNotification>>;
export const refreshRefused = {
  type: 'post',
  params: ({ event }: At<{ readonly name: Address }>) =>
    post(addressFor<ViewOrder>(event.name), { type: 'view.refresh' }),
} as const;
/** From now on of every computer, whether it tells of a change or not. */
export const openFollowed = {
  type: 'openAll',
  params: ({ context: c, event: { collection } }: At<{ readonly collection: ResourceCollection }>) => ({
    opens: c.computers.map((computer) => openOf(c, computer, collection)),
  }),
} as const;
/** The host asks a computer by itself what a view may have given up. */
export const wakeView = {
  type: 'postAll',
  params: ({ context: c, event: { method, request } }: At<AgentQuery>) => {
    const collection = all.find((each) => collections[each].method === method);
    const { computer } = request as Partial<OfComputer>;
    if (collection === undefined || typeof computer !== 'string') return { messages: [] };
    const to = viewAt(c, computer, collection);
    return { messages: [post(to, { type: 'view.wake' }, { optional: true })] };
  },
} as const;
export const openViewAgain = {
  type: 'openAll',
  params: ({ context: c, event }: At<OwnedEnded>) => {
    const viewed = viewedBy(c, event);
    return { opens: viewed ? [openOf(c, viewed.computer, viewed.collection)] : [] };
  },
} as const;
/** It is not asked for any more before that computer enters again, or tells of a change. */
export const tellViewGivenUp = {
  type: 'postAll',
  params: ({ context: c, event }: At<OwnedEnded>) => {
    const viewed = viewedBy(c, event);
    const message = `Its view failed too often: ${event.error ?? event.why}`;
    const news = viewed && newsOf(viewed.collection, viewed.computer, null, { code: 'Crashed', message });
    return { messages: news ? [post(c.owner, news)] : [] };
  },
} as const;
export const forgetAll = [
  ...all.map((collection) => ({
    type: 'tellOwned' as const,
    params: toOwned(kinds[collection], { type: 'close' }),
  })),
  'forgetComputers' as const,
];
