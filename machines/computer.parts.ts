/** What the chart of computer.machine.ts is made of: its words, and whom a piece of news or a call goes to. */
import { assign, setup } from 'xstate';
import { keyOf, nameOf, type Address } from './address.ts';
import {
  buildTable,
  findTool,
  offeredTools,
  signatureOf,
  toSmcpTool,
  unresolved,
  type Tool,
  type ToolRules,
  type ToolTable,
} from './catalog/index.ts';
import type { CallRequest, ClientNews, ClientStage, ClientStart, ClientOrder } from './client.machine.ts';
import {
  type DirectoryEvent,
  type Letter,
  type Open,
  type OwnedEnded,
  type Post,
  effects,
} from './effects.ts';
import { extended } from './extended.ts';
import type { LinkNews, LinkOrder, LinkStart } from './link.machine.ts';
import { linkGivenUp } from './link.parts.ts';
import { notActive } from './server-failure.ts';
import { settledBy } from './settlement.ts';
import type { Timing } from './timing.ts';
import type { Failure } from './wire/failure.ts';
import type { SmcpTool } from './wire/tool.ts';

/** One server of the config, without its launch facts: those stay with the adapter that launches. */
export interface ServerPlan {
  readonly rules: ToolRules;
  readonly client: Omit<ClientStart, 'server'>;
}
export interface ComputerStart {
  readonly servers: readonly ServerPlan[];
  readonly link: Omit<LinkStart, 'timing'> | null;
  /** What `client:get_config` shows, secrets hidden. */
  readonly shown: object;
  readonly timing: Timing;
}
/** A call by name; `confirmed` when the person who asks has thereby confirmed it. */
export interface ToolCall {
  readonly type: 'tool.call';
  readonly call: {
    readonly ticket: string;
    readonly reqId: string;
    readonly tool: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly timeoutMs: number;
    readonly confirmed?: boolean;
  };
  readonly replyTo: Address;
}
export type ComputerOrder =
  | ToolCall
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'server.start'; readonly server: string }
  | { readonly type: 'server.stop'; readonly server: string }
  /** Takes a seat in an office; ignored while it has a link already. */
  | { readonly type: 'office.join'; readonly link: Omit<LinkStart, 'timing'> }
  | { readonly type: 'office.leave' }
  | { readonly type: 'close' };
/** What the host hears. */
export type ComputerNews =
  | { readonly type: 'computer.changed'; readonly stage: 'whole' | 'degraded' | 'closing' }
  | ClientNews
  | Extract<LinkNews, { type: 'link.changed' }>
  | { readonly type: 'tools.changed'; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly type: 'machine.failed'; readonly name: Address; readonly error: string };
export type Input = ComputerStart & { readonly self: Address; readonly owner: Address };
export interface ComputerContext extends Input {
  /** The last known tools of each server, kept while it is down so that a call can say that it is. */
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly table: ToolTable;
  /** The last news of each client. */
  readonly stages: Readonly<Record<string, ClientStage>>;
  readonly offered: readonly SmcpTool[];
  readonly signature: string;
  readonly open: number;
  readonly reopens: number;
}
export type Event = ComputerOrder | ClientNews | LinkNews | DirectoryEvent;
export const maxReopens = 5;

export const clientOf = (c: ComputerContext, server: string): Address =>
  `${nameOf(c.self)}/client:${keyOf(server)}`;
export const linkOf = (c: ComputerContext): Address => `${nameOf(c.self)}/link`;
const clientOpen = ({ rules, client }: ServerPlan): Open => ({
  kind: 'client',
  key: keyOf(rules.server),
  input: { ...client, server: rules.server } satisfies ClientStart,
});
export const linkOpens = (c: ComputerStart): Open[] =>
  c.link ? [{ kind: 'link', input: { ...c.link, timing: c.timing } satisfies LinkStart }] : [];
export const isSame = (open: Open, ended: OwnedEnded): boolean =>
  ended.key === (open.key === undefined ? open.kind : `${open.kind}:${open.key}`);
export const opensOf = (c: ComputerStart): Open[] => [...linkOpens(c), ...c.servers.map(clientOpen)];

export const isTrying = (stage: ClientStage | undefined): boolean =>
  stage === undefined || stage === 'connecting' || stage === 'recovering';
export const isWhole = (c: ComputerContext): boolean =>
  c.servers.every((s) => !s.client.autoStart || c.stages[s.rules.server] === 'ready');

/** What a client said, taken in: the table is made anew only when its tools came with it. */
export const heard = (c: ComputerContext, news: ClientNews): Partial<ComputerContext> => {
  const stages = { ...c.stages, [news.server]: news.stage };
  const catalogs = news.tools ? { ...c.catalogs, [news.server]: news.tools } : c.catalogs;
  const table = news.tools
    ? buildTable(
        c.servers.map((s) => s.rules),
        catalogs,
      )
    : c.table;
  if (c.stages[news.server] === news.stage && !news.tools) return { stages };
  const offered = offeredTools(table, (server) => stages[server] === 'ready').map(toSmcpTool);
  return { stages, catalogs, table, offered, signature: signatureOf(offered) };
};
const namesOf = (tools: readonly SmcpTool[]): string[] => tools.map((t) => t.name);
const without = (some: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return some.filter((name) => !known.has(name));
};
export const signatureNews = (signature: string): LinkOrder => ({ type: 'tools.changed', signature });
/** A client whose machine failed too often says no more; this is said for it. */
const crashedNews = (server: string, why: string): ClientNews => ({
  type: 'client.changed',
  server,
  stage: 'tripped',
  tools: null,
  failure: { code: 'Crashed', message: `Its machine failed too often: ${why}` },
  attempt: 0,
});
export const givenUp = (c: ComputerContext, ended: OwnedEnded): ClientNews =>
  crashedNews(
    c.servers.find((s) => isSame(clientOpen(s), ended))?.rules.server ?? ended.key,
    ended.error ?? 'no reason given',
  );
/** Who has to hear of what a client said: the host of everything, host and link of a change of what is offered. */
export const lettersFor = (c: ComputerContext, news: ClientNews): Post[] => {
  const next = { ...c, ...heard(c, news) };
  const letters: Post[] = [{ to: c.owner, event: news }];
  if (next.signature === c.signature) return letters;
  const [before, after] = [namesOf(c.offered), namesOf(next.offered)];
  const [added, removed] = [without(after, before), without(before, after)];
  const change: ComputerNews = { type: 'tools.changed', added, removed };
  letters.push({ to: c.owner, event: change });
  if (c.link) letters.push({ to: linkOf(c), event: signatureNews(next.signature), ifThere: true });
  return letters;
};

/** A call goes to the client whose tool it names, or is answered at once. */
export const route = (c: ComputerContext, { call, replyTo }: ToolCall): Post => {
  const refuse = (failure: Failure): Letter => ({
    to: replyTo,
    event: settledBy(extended(call, { server: '' }), 'failed', failure),
  });
  const entry = findTool(c.table, call.tool);
  if (!entry) return refuse(unresolved(c.table, call.tool));
  const isFree = call.confirmed === true || entry.meta?.auto_apply === true;
  const request: CallRequest = {
    type: 'call.request',
    ticket: call.ticket,
    reqId: call.reqId,
    tool: entry.tool.name,
    params: call.params,
    timeoutMs: call.timeoutMs,
    confirmMs: isFree ? null : c.timing.confirmMs,
    replyTo,
  };
  return {
    to: clientOf(c, entry.server),
    event: request,
    orElse: refuse(notActive(entry.server, 'closed', null, null)),
  };
};

export const parts = setup({
  types: {
    context: {} as ComputerContext,
    input: {} as Input,
    events: {} as Event,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    hear: assign(({ context }, news: ClientNews) => heard(context, news)),
    countEnd: assign({ open: ({ context }) => Math.max(0, context.open - 1) }),
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
    rememberLink: assign(({ context }, { link }: { link: ComputerContext['link'] }) => ({
      link,
      open: context.open + 1,
    })),
    forgetLink: assign({ link: null }),
  },
  guards: {
    hasBooted: ({ context }) => context.servers.every((s) => !isTrying(context.stages[s.rules.server])),
    isWhole: ({ context }) => isWhole(context),
    isLast: ({ context }) => context.open <= 1,
    hasNone: ({ context }) => context.open === 0,
    hasLink: ({ context }) => context.link !== null,
    isLink: (_, ended: OwnedEnded) => ended.kind === 'link',
    isBrokenLink: (_, ended: OwnedEnded) => ended.kind === 'link' && ended.why === 'failed',
    canReopen: ({ context }, ended: OwnedEnded) => ended.why === 'failed' && context.reopens < maxReopens,
  },
  delays: {
    boot: ({ context }) => context.timing.bootMs,
    shutdown: ({ context }) => context.timing.shutdownMs,
  },
});

export const tellStage = (stage: 'whole' | 'degraded' | 'closing') =>
  ({
    type: 'post',
    params: ({ context }: { context: ComputerContext }) => ({
      to: context.owner,
      event: { type: 'computer.changed', stage } satisfies ComputerNews,
    }),
  }) as const;
export const itself = ({ event }: { event: OwnedEnded }): OwnedEnded => event;
export const tellBroken = {
  type: 'post',
  params: ({ context, event }: { context: ComputerContext; event: OwnedEnded }) => ({
    to: context.owner,
    event: { type: 'machine.failed', name: event.name, error: event.error ?? '' } satisfies ComputerNews,
  }),
} as const;
/** Its link failed too often: it sits in no office any more. */
export const tellLinkGivenUp = {
  type: 'post',
  params: ({ context, event }: { context: ComputerContext; event: OwnedEnded }) => ({
    to: context.owner,
    event: linkGivenUp(event) satisfies ComputerNews,
  }),
} as const;
/** To one client by the name of its server. One that was given up says so again: whoever orders waits for news. */
export const passToClient = {
  type: 'post',
  params: ({ context, event }: { context: ComputerContext; event: { type: string; server: string } }) => ({
    to: clientOf(context, event.server),
    event: { type: event.type },
    orElse: { to: context.owner, event: crashedNews(event.server, 'it is not opened again') },
  }),
} as const;
export const passToClients = {
  type: 'tellOwned',
  params: ({ event }: { event: ClientOrder }) => ({ kind: 'client', event }),
} as const;
