/** What a computer says and opens upon what it hears. */
import type { ComputerCall } from '../call/messages.ts';
import type { CatalogListed, CatalogNews, CatalogRestless } from '../catalog/catalog.machine.ts';
import { restless } from './computer.restless.ts';
import * as rules from './computer.rules.ts';
import { route } from './computer.routing.ts';
import { messagesOfWithdrawal } from './computer.withdrawn.ts';
import type { ComputerContext, ServersSet } from './computer.events.ts';
import * as collections from './computer.collections.ts';
import { refusedOf } from './computer.asked.ts';
import { eventAsParams, parts, step } from './computer.setup.ts';
import { post, type OwnedEnded } from '../kernel/effects.ts';
import type { ConfigWanted, ToolsWanted } from '../link/link.machine.ts';
import type { ResourcesRelist } from '../resources/collections/index.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';

type At<E = unknown> = { readonly context: ComputerContext; readonly event: E };

export const routeCall = {
  type: 'post',
  params: ({ context, event }: At<ComputerCall>) => route(context, event),
} as const;
export const passWatch = {
  type: 'post',
  params: ({
    context,
    event,
  }: At<{ readonly server: string; readonly uris: readonly string[]; readonly by: string }>) =>
    post(
      rules.clientOf(context, event.server),
      { type: 'resources.watch', uris: event.uris, by: event.by },
      { optional: true },
    ),
} as const;
export const passRelist = {
  type: 'post',
  params: ({ context, event }: At<ResourcesRelist>) =>
    post(rules.clientOf(context, event.server), event, { optional: true }),
} as const;
export const answerTools = {
  type: 'post',
  params: ({ context: c, event: { ticket, reqId, replyTo } }: At<ToolsWanted>) =>
    post(
      replyTo,
      { type: 'tools.listed', ticket, reqId, tools: c.offered, signature: c.signature },
      { optional: true },
    ),
} as const;
/** While servers start. */
export const keep = {
  guard: { type: 'mustKeep', params: eventAsParams },
  actions: { type: 'keepAsked', params: eventAsParams },
} as const;
/** Behind what is under way, such as what a server that has just come up shows. */
export const wakeAsked = parts.enqueueActions(({ context, enqueue }) => {
  if (context.asked !== null && context.asked.length > 0)
    enqueue.raise({ type: 'questions.due' }, { delay: 0, id: 'questions' });
  else enqueue('forgetAsked');
});
/** They are taken as if they came now. */
export const takeAsked = [
  parts.enqueueActions(({ context, enqueue }) => {
    for (const question of context.asked ?? []) enqueue.raise(question);
  }),
  'forgetAsked',
] as const;
export const refuseAsked = [
  { type: 'postAll', params: ({ context }: At) => ({ messages: refusedOf(context) }) },
  'forgetAsked',
] as const;
export const answerConfig = {
  type: 'post',
  params: ({ context, event: { ticket, replyTo } }: At<ConfigWanted>) =>
    post(replyTo, { type: 'config.shown', ticket, config: context.shown }, { optional: true }),
} as const;
/** A list that is new, told and taken in. */
export const hearList = (c: ComputerContext, news: CatalogNews): rules.Told => {
  const told = rules.telling(c, news, rules.listed(c, news));
  const listed = collections.listed(c, news);
  return { messages: [...told.messages, ...listed.messages], next: { ...told.next, ...listed.next } };
};
export const takeList = step(hearList);
export const takeRestless = step<CatalogRestless>(restless);
/** Its resources are there, or could not be had, or are in another order; its tools were withdrawn, or are back. */
export const takeListed = [
  {
    type: 'postAll',
    params: ({ context, event }: At<CatalogListed>) => ({
      messages: [...collections.messagesOfStanding(context, event), ...messagesOfWithdrawal(context, event)],
    }),
  },
  { type: 'noteListed', params: eventAsParams<CatalogListed> },
] as const;
export const reconcile = step<ServersSet>((c, event) => {
  const { opens, messages, next } = rules.reconciled(c, event);
  return { opens, messages: [...messages, ...collections.messagesOfPlans(c, next)], next };
});
export const forgetLeaving = [
  {
    type: 'openAll',
    params: ({ context, event }: At<OwnedEnded>) => ({ opens: rules.returning(context, event) }),
  },
  { type: 'forgetLeaving', params: eventAsParams<OwnedEnded> },
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
      messages: [rules.signatureNews(c.signature), rules.configNews(c)].map((event) =>
        post(rules.linkOf(c), event),
      ),
    }),
  },
] as const;

// ── its Desktop and its Finder ─────────────────────────────────────────────────────────────────────────
const openCollections = [
  { type: 'openAll', params: ({ context }: At) => ({ opens: collections.openings(context) }) },
  'noteOpened',
] as const;
type Shows = Parameters<typeof collections.shown>[1];
export const takeShows = [
  ...openCollections,
  {
    type: 'postAll',
    params: ({ context, event }: At<Shows>) => ({ messages: collections.messagesOfShows(context, event) }),
  },
  { type: 'noteShows', params: eventAsParams<Shows> },
] as const;
type Question = Parameters<typeof collections.passWanted>[1];
export const passWanted = [
  ...openCollections,
  { type: 'post', params: ({ context, event }: At<Question>) => collections.passWanted(context, event) },
] as const;
export const refuseWanted = {
  type: 'post',
  params: ({ event }: At<Question>) => collections.refusal(event),
} as const;
export const passUpdate = {
  type: 'postAll',
  params: ({ context, event }: At<{ readonly server: string; readonly uri: string }>) => ({
    messages: collections.updated(context, event),
  }),
} as const;
export const passWatched = {
  type: 'postAll',
  params: ({ context, event }: At<ResourcesWatched>) => ({ messages: collections.watched(context, event) }),
} as const;
export const passChange = {
  type: 'postAll',
  params: ({ context, event }: At<Parameters<typeof collections.messagesOfChange>[1]>) => ({
    messages: collections.messagesOfChange(context, event),
  }),
} as const;
/** Its machine broke: the new one is told what all servers show. */
export const reopenCollection = [
  {
    type: 'openAll',
    params: ({ context, event }: At<OwnedEnded>) => ({ opens: collections.reopening(context, event).opens }),
  },
  {
    type: 'postAll',
    params: ({ context, event }: At<OwnedEnded>) => ({
      messages: collections.reopening(context, event).messages,
    }),
  },
] as const;
