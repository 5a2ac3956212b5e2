import type { Resource } from '../catalog/entries.ts';
import { post, type Post } from '../kernel/effects.ts';
import { notActive } from '../process/server-failure.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { pageOf, type ResourcesShown, type ResourcesWanted } from '../resources/resource-pages.ts';
import { mostWaiting } from './computer.calls.ts';
import { bundleOf, type ComputerContext, type ServerPlan, type Taken } from './computer.events.ts';
import { isTrying } from './computer.rules.ts';

/** Finds a server by its bundle id, else by its name. */
export const planOf = (
  { servers }: Pick<ComputerContext, 'servers'>,
  asked: string,
): ServerPlan | undefined =>
  servers.find((plan) => bundleOf(plan) === asked) ?? servers.find((plan) => plan.rules.server === asked);

const noSuchServer = (asked: string): Failure => ({
  code: wireCodes.serverNotFound,
  message: `This computer has no server '${asked}'`,
  details: { mcp_server: asked },
  remedy: 'Its servers are listed by client:get_config',
});
const noResources = (asked: string): Failure => ({
  code: wireCodes.capabilityMissing,
  message: `Server '${asked}' has no resources`,
  details: { mcp_server: asked, capability: 'resources' },
});
const unreadable = (asked: string, why: string): Failure => ({
  code: wireCodes.toolFailed,
  message: `The resources of '${asked}' could not be listed: ${why}`,
  details: { mcp_server: asked },
  remedy: 'Ask again; the list is read again after a pause',
});

/** Null while the list may still come. */
type Known = readonly Resource[] | { readonly failure: Failure } | null;
function knownOf(c: ComputerContext, { rules: { server }, cached }: ServerPlan, asked: string): Known {
  const stage = c.stages[server] ?? 'connecting';
  const listed = Object.hasOwn(c.resources, server)
    ? (c.resources[server] as readonly Resource[])
    : undefined;
  if (stage === 'ready') {
    if (!Object.hasOwn(c.shows, server)) return { failure: noResources(asked) };
    if (!Object.hasOwn(c.listed, server)) return null;
    const why = c.listed[server] ?? null;
    return why === null ? (listed ?? []) : { failure: unreadable(asked, why) };
  }
  if (isTrying(stage)) return null;
  const last = stage === 'standby' ? (listed ?? cached?.resources) : undefined;
  return last ?? { failure: notActive(server, stage, null, null) };
}

const answered = (
  { ticket, reqId, replyTo }: ResourcesWanted,
  answer: Pick<ResourcesShown, 'resources' | 'nextCursor' | 'failure'>,
): Post => post(replyTo, { type: 'resources.shown', ticket, reqId, ...answer }, { optional: true });
const refused = (wanted: ResourcesWanted, failure: Failure): Post =>
  answered(wanted, { resources: [], nextCursor: null, failure });

function answerTo(c: ComputerContext, wanted: ResourcesWanted): Post | null {
  const plan = planOf(c, wanted.server);
  if (!plan) return refused(wanted, noSuchServer(wanted.server));
  const known = knownOf(c, plan, wanted.server);
  if (known === null) return null;
  if ('failure' in known) return refused(wanted, known.failure);
  const page = pageOf(wanted.server, known, wanted.cursor);
  return page.ok ? answered(wanted, { ...page.body, failure: null }) : refused(wanted, page.failure);
}

const tooSlow = ({ server }: ResourcesWanted, why: string): Failure => ({
  code: wireCodes.noAnswer,
  message: `The resources of '${server}' are not listed yet: ${why}`,
  details: { mcp_server: server },
  remedy: 'Ask again in a moment',
});
const listTimer = (ticket: string): string => `resources.${ticket}`;
/** Waits for a list that may still come, unless too many wait already. */
export function listWanted(c: ComputerContext, wanted: ResourcesWanted): Taken {
  const answer = answerTo(c, wanted);
  if (answer) return { messages: [answer] };
  if (c.listsWanted.length >= mostWaiting)
    return {
      messages: [refused(wanted, { ...tooSlow(wanted, 'too many wait'), code: wireCodes.tooMany })],
    };
  const { ticket } = wanted;
  const event = { type: 'resources.overdue', ticket } as const;
  return {
    timers: [{ id: listTimer(ticket), delay: c.timing.toolsMs, event }],
    next: { listsWanted: [...c.listsWanted, wanted] },
  };
}
export const hasDecidedList = (c: ComputerContext): boolean =>
  c.listsWanted.some((wanted) => answerTo(c, wanted) !== null);
export function listsDecided(c: ComputerContext): Taken {
  const all = c.listsWanted.map((wanted) => [wanted, answerTo(c, wanted)] as const);
  return {
    messages: all.flatMap(([, answer]) => answer ?? []),
    cancels: all.flatMap(([{ ticket }, answer]) => (answer ? [listTimer(ticket)] : [])),
    next: { listsWanted: all.flatMap(([wanted, answer]) => (answer ? [] : [wanted])) },
  };
}
export function listOverdue(c: ComputerContext, { ticket }: { readonly ticket: string }): Taken {
  const late = c.listsWanted.filter((wanted) => wanted.ticket === ticket);
  return {
    messages: late.map((wanted) => refused(wanted, tooSlow(wanted, 'its server is starting, or slow'))),
    next: { listsWanted: c.listsWanted.filter((wanted) => !late.includes(wanted)) },
  };
}
export const listAtClose = (c: ComputerContext, wanted: ResourcesWanted): Post =>
  answerTo(c, wanted) ?? refused(wanted, tooSlow(wanted, 'the computer is closing'));
