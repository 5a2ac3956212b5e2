/** Where a call goes: to the client whose tool it names, or back with the reason why there is none. */
import { findTool, isDenied, unresolved, type AbsentServer, type ToolEntry } from '../catalog/index.ts';
import type { ServerCall } from '../client/client.events.ts';
import type { ComputerContext } from './computer.events.ts';
import { settledBy, type ComputerCall } from '../call/messages.ts';
import { message, post, type CheckedMessage, type Post } from '../kernel/effects.ts';
import { absentOnes, refusalOf, whyWithdrawn, withdrawnFrom } from './computer.withdrawn.ts';
import { clientOf, isApproved, nameIn, wanted, type Told } from './computer.rules.ts';
import { merging } from '../kernel/objects.ts';
import { defaultRemembered } from '../call/history.ts';
import { notActive } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';

/** Remembers the server of a call: its windows are shown first from then on. */
const calledBy = (c: ComputerContext, server: string): Partial<ComputerContext> => {
  const most = Math.max(0, c.remembered ?? defaultRemembered);
  const kept = c.recent.slice(Math.max(0, c.recent.length + 1 - most));
  return { recent: most === 0 ? [] : [...kept, { server }] };
};
/** Servers that are wanted and have not told what they have: their last try failed, or they still start. */
const unheard = (c: ComputerContext): AbsentServer[] =>
  c.servers
    .filter((s) => wanted(s) && c.catalogs[nameIn(s)] === undefined && c.stages[nameIn(s)] !== 'ready')
    .filter((s) => whyWithdrawn(c, nameIn(s)) === undefined)
    .map((s) => {
      const reason = c.reasons[nameIn(s)];
      return { server: nameIn(s), ...(reason !== undefined && { reason }) };
    });
/** Why a name cannot be called. */
const whyNot = (c: ComputerContext, tool: string): Failure =>
  (isDenied(c.table, tool) ? undefined : refusalOf(c, tool)) ??
  unresolved(c.table, tool, [...unheard(c), ...absentOnes(c)]);
/** The server of a tool that cannot be called; none where nobody has it. */
const ownerOf = (c: ComputerContext, tool: string): string => {
  const { disabled, refused } = c.table;
  if (Object.hasOwn(disabled, tool)) return disabled[tool]?.server ?? '';
  return refused.find(({ name }) => name === tool)?.server ?? withdrawnFrom(c, tool) ?? '';
};
/** A call goes to the client whose tool it names, or is answered at once. */
export const route = (c: ComputerContext, order: ComputerCall): Post =>
  routeTo(c, order, findTool(c.table, order.tool));
/** The same of one that is routed when it comes, and what is remembered of it. */
export const routed = (c: ComputerContext, order: ComputerCall): Told => {
  const entry = findTool(c.table, order.tool);
  return {
    messages: [routeTo(c, order, entry)],
    next: entry && !order.refused ? calledBy(c, entry.server) : {},
  };
};
/** A call with what its server knows it by. */
const resolved = merging();
const routeTo = (c: ComputerContext, call: ComputerCall, entry?: ToolEntry): Post => {
  const server = entry?.server ?? ownerOf(c, call.tool);
  const refuse = (failure: Failure): CheckedMessage =>
    message(
      call.replyTo,
      settledBy({ ticket: call.ticket, reqId: call.reqId, server, tool: call.tool }, 'failed', failure),
    );
  if (call.refused) return refuse(call.refused);
  if (!entry) return refuse(whyNot(c, call.tool));
  const request: ServerCall = resolved(call, {
    tool: entry.tool.name,
    isConfirmed: call.isConfirmed || isApproved(c, entry.server, entry.tool.name, call),
    meta: entry.meta,
    hasOutput: entry.tool.outputSchema !== undefined,
  });
  const onUndelivered = refuse(notActive(entry.server, 'closed', null, null));
  return post(clientOf(c, entry.server), request, { onUndelivered });
};
