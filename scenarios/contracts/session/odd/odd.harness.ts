import { onTestFinished } from 'vitest';
import { sessionPortOf } from '../../../../adapters/mcp/port.ts';
import type { Answers } from '../../../../adapters/mcp/messages/answers.ts';
import { isAnswer, type RequestFact } from '../../../../machines/kernel/ports.ts';
import type { SessionFact } from '../../../../machines/ports/session.ts';
import { statelessWires, wires, type Behaviour } from './odd-server.ts';

export const greeting = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'odd', version: '1' },
};
export const greeted =
  (behave: Behaviour): Behaviour =>
  (heard, say) => {
    const { id, method } = heard;
    if (method === 'initialize') say({ jsonrpc: '2.0', id, result: greeting });
    else behave(heard, say);
  };

export interface OddSession {
  readonly first: SessionFact;
  readonly facts: readonly SessionFact[];
  readonly notices: readonly string[];
  ask(method: string, params?: object): Promise<RequestFact>;
}
/** Session that is closed after its test. */
export async function openOdd(wire: string, behave: Behaviour, answers: Answers = {}): Promise<OddSession> {
  const make = { ...wires, ...statelessWires }[wire];
  if (!make) throw new Error(`no such wire: ${wire}`);
  const { streams, spec, stop } = await make(behave);
  const notices: string[] = [];
  const facts: SessionFact[] = [];
  const port = sessionPortOf({
    clientInfo: { name: 'test', version: '1' },
    ledger: { streamsOf: () => streams },
    remoteOf: () => spec,
    answers,
    notice: (_server, { text }) => notices.push(text),
  });
  const key = 'session';
  let count = 0;
  const process = streams ? 'process' : null;
  let opened = (_: SessionFact): void => {};
  const first = new Promise<SessionFact>((resolve) => (opened = resolve));
  const session = port.open(key, { server: 'odd', generation: 1, spec: 1, key, process }, (fact) => {
    if (fact.type === 'session.waits') return;
    facts.push(fact);
    opened(fact);
  });
  onTestFinished(async () => {
    session.close();
    await port.closed();
    await stop();
  });
  return {
    first: await first,
    facts,
    notices,
    ask: (method, params) =>
      new Promise((resolve) => {
        const request = { id: `q${(count += 1)}`, target: key, method, params };
        port.request('asker', request, (fact) => isAnswer(fact.type) && resolve(fact));
      }),
  };
}
