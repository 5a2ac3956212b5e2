import { expect } from 'vitest';
import { events } from '../../../machines/protocol/protocol.ts';
import type { Harness } from '../../stage/harness.ts';
import { startNode } from '../../stage/nodes.ts';
import type { Peer } from '../../stage/scripted/network/network.ts';
import { after } from '../../stage/watching.ts';

export const granted = [[true, null]];
export const answers = {
  [events.toolCall]: (body: unknown, ack: (...args: unknown[]) => void): void => {
    if ((body as { tool_name: string }).tool_name !== 'hang') ack({ content: [], isError: false });
  },
};
export const call = (agent: Peer, reqId: string, tool = 'read', computer = 'c', timeout = 60): unknown[][] =>
  agent.ask(events.toolCall, { agent: 'a', req_id: reqId, computer, tool_name: tool, params: {}, timeout });
/** An agent at the first node and a computer at the second. */
export const seated = async (s: Harness) => {
  const urls = [await startNode(s, 1), await startNode(s, 2)];
  const agent = s.peer('a', {}, urls[0]);
  const computer = s.peer('c', answers, urls[1]);
  const acks = await after(s, 20, [agent.join('agent', 'a'), computer.join('computer', 'c')]);
  expect(acks).toEqual([granted, granted]);
  return { agent, computer, urls, register: s.network.register };
};
/** Answers to a computer that joins at this node. */
export async function joining(s: Harness, url: string | undefined, name = 'c'): Promise<unknown[][]> {
  const ack = s.peer(name, answers, url).join('computer', name);
  await s.run(20);
  return ack;
}
export const has = (peer: Peer, event: string): boolean => peer.heard.some((heard) => heard.event === event);
export const said = (acks: unknown[][]): string => JSON.stringify(acks);
