/** What a computer says and opens upon what it hears. */
import type { CatalogNews } from './catalog.machine.ts';
import * as rules from './computer.rules.ts';
import type { ComputerContext, ServersSet, ToolCall } from './computer.words.ts';
import type { OwnedEnded } from './effects.ts';
import type { ConfigShown, ToolsListed } from './link.machine.ts';

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
    params: ({ context, event }: At<CatalogNews>) => ({ letters: rules.lettersOfList(context, event) }),
  },
  { type: 'hearList', params: itself<CatalogNews> },
] as const;
export const reconcile = [
  {
    type: 'openAll',
    params: ({ context, event }: At<ServersSet>) => ({ opens: rules.reconciled(context, event).opens }),
  },
  {
    type: 'postAll',
    params: ({ context, event }: At<ServersSet>) => ({ letters: rules.reconciled(context, event).letters }),
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
