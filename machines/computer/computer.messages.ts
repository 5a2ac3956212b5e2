/** What a computer says and opens upon what it hears. */
import type { CatalogListed, CatalogNews } from '../catalog/catalog.machine.ts';
import type { ClientOrder } from '../client/client.events.ts';
import * as rules from './computer.rules.ts';
import { lettersOfWithdrawal } from './computer.withdrawn.ts';
import type { ComputerContext, ServersSet, ToolCall } from './computer.events.ts';
import * as systems from './computer.systems.ts';
import type { OwnedEnded, Post } from '../kernel/effects.ts';
import type { ConfigShown, ToolsListed } from '../link/link.machine.ts';
import type { ResourcesRelist } from '../resources/systems/index.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';

type At<E = unknown> = { readonly context: ComputerContext; readonly event: E };
interface Wanted {
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: string;
}
const itself = <E>({ event }: { event: E }): E => event;

export const routeCall = {
  type: 'post',
  params: ({ context, event }: At<ToolCall>) => rules.route(context, event),
} as const;
export const passWatch = {
  type: 'post',
  params: ({
    context,
    event,
  }: At<{ readonly server: string; readonly uris: readonly string[]; readonly by: string }>) => ({
    to: rules.clientOf(context, event.server),
    event: { type: 'resources.watch', uris: event.uris, by: event.by } satisfies ClientOrder,
    ifThere: true as const,
  }),
} as const;
export const passRelist = {
  type: 'post',
  params: ({ context, event }: At<ResourcesRelist>) => ({
    to: rules.clientOf(context, event.server),
    event: event satisfies ClientOrder,
    ifThere: true as const,
  }),
} as const;
export const answerTools = {
  type: 'post',
  params: ({ context: c, event: { ticket, reqId, replyTo } }: At<Wanted>) => ({
    to: replyTo,
    event: {
      type: 'tools.listed',
      ticket,
      reqId,
      tools: c.offered,
      signature: c.signature,
    } satisfies ToolsListed,
    ifThere: true as const,
  }),
} as const;
export const answerConfig = {
  type: 'post',
  params: ({ context, event: { ticket, replyTo } }: At<Wanted>) => ({
    to: replyTo,
    event: { type: 'config.shown', ticket, config: context.shown } satisfies ConfigShown,
    ifThere: true as const,
  }),
} as const;
/** Told before it is taken in: what was is needed to say what changed. */
export const takeList = [
  {
    type: 'postAll',
    params: ({ context, event }: At<CatalogNews>) => ({
      letters: [...rules.lettersOfList(context, event), ...systems.lettersOfListing(context, event)],
    }),
  },
  { type: 'hearList', params: itself<CatalogNews> },
] as const;
/** Its resources are there, or could not be had, or are in another order; its tools were withdrawn, or are back. */
export const takeListed = [
  {
    type: 'postAll',
    params: ({ context, event }: At<CatalogListed>) => ({
      letters: [...systems.lettersOfStanding(context, event), ...lettersOfWithdrawal(context, event)],
    }),
  },
  { type: 'noteListed', params: itself<CatalogListed> },
] as const;
export const reconcile = [
  {
    type: 'openAll',
    params: ({ context, event }: At<ServersSet>) => ({ opens: rules.reconciled(context, event).opens }),
  },
  {
    type: 'postAll',
    params: ({ context: c, event }: At<ServersSet>) => {
      const { letters, next } = rules.reconciled(c, event);
      return { letters: [...letters, ...systems.lettersOfPlans(c, next)] };
    },
  },
  { type: 'reconcile', params: itself<ServersSet> },
] as const;
export const forgetLeaving = [
  {
    type: 'openAll',
    params: ({ context, event }: At<OwnedEnded>) => ({ opens: rules.returning(context, event) }),
  },
  { type: 'forgetLeaving', params: itself<OwnedEnded> },
] as const;
/** Its machine broke. */
export const openAgain = {
  type: 'openAll',
  params: ({ context: c, event }: At<OwnedEnded>) => ({
    opens: rules.opensOf(c, c.spent).filter((open) => rules.isSame(open, event)),
  }),
} as const;
/** With what there is to announce. */
export const openLink = [
  { type: 'openAll', params: ({ context }: At) => ({ opens: rules.linkOpens(context) }) },
  {
    type: 'postAll',
    params: ({ context: c }: At) => ({
      letters: [rules.signatureNews(c.signature), rules.configNews(c)].map((event) => ({
        to: rules.linkOf(c),
        event,
      })),
    }),
  },
] as const;

// ── its Desktop and its Finder ─────────────────────────────────────────────────────────────────────────
const openSystems = [
  { type: 'openAll', params: ({ context }: At) => ({ opens: systems.openings(context) }) },
  'noteOpened',
] as const;
type Shows = Parameters<typeof systems.shown>[1];
export const takeShows = [
  ...openSystems,
  {
    type: 'postAll',
    params: ({ context, event }: At<Shows>) => ({ letters: systems.lettersOfShows(context, event) }),
  },
  { type: 'noteShows', params: itself<Shows> },
] as const;
type Question = Parameters<typeof systems.passWanted>[1];
export const passWanted = [
  ...openSystems,
  { type: 'post', params: ({ context, event }: At<Question>) => systems.passWanted(context, event) },
] as const;
export const refuseWanted = {
  type: 'post',
  params: ({ event }: At<Question>): Post => systems.refusal(event),
} as const;
export const passUpdate = {
  type: 'postAll',
  params: ({ context, event }: At<{ readonly server: string; readonly uri: string }>) => ({
    letters: systems.updated(context, event),
  }),
} as const;
export const passWatched = {
  type: 'postAll',
  params: ({ context, event }: At<ResourcesWatched>) => ({ letters: systems.watched(context, event) }),
} as const;
export const passChange = {
  type: 'postAll',
  params: ({ context, event }: At<Parameters<typeof systems.lettersOfChange>[1]>) => ({
    letters: systems.lettersOfChange(context, event),
  }),
} as const;
/** Its machine broke: the new one is told what all servers show. */
export const reopenSystem = [
  {
    type: 'openAll',
    params: ({ context, event }: At<OwnedEnded>) => ({ opens: systems.reopening(context, event).opens }),
  },
  {
    type: 'postAll',
    params: ({ context, event }: At<OwnedEnded>) => ({ letters: systems.reopening(context, event).letters }),
  },
] as const;
