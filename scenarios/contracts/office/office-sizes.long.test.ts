import { io } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTo, type Peer } from '../link/link-world.ts';
import { type OfficeHarness, openOffice } from './office-harness.ts';

/** A message above the limit ends the connection; our own links refuse it before it is sent (link.contract.ts). */
const mebibyte = 1024 * 1024;
const tooMuch = 'x'.repeat(9 * mebibyte);
const cutOff = {
  isError: true,
  content: [{ type: 'text', text: expect.stringContaining('more than 8388608 bytes') as string }],
  structuredContent: { error: { code: 404, details: { reason: 'too_large', limit_bytes: 8 * mebibyte } } },
};

let office: OfficeHarness;
let agent: Peer;
beforeEach(async () => {
  office = await openOffice();
  agent = await office.agent();
});
afterEach(() => office.close());
const called = (): Promise<unknown[]> => office.ask(agent, 'client:tool_call', callTo('c', { timeout: 0 }));

describe('the result of a raw computer', () => {
  it.each(['websocket', 'polling'])(
    'fails its call at 9 MiB over %s, and costs that computer its connection',
    async (transport) => {
      const socket = io(`${office.url}/smcp`, {
        forceNew: true,
        reconnection: false,
        transports: [transport],
      });
      const ended = new Promise((resolve) => socket.once('disconnect', resolve));
      socket.on('client:tool_call', (_call: unknown, ack: (result: unknown) => void) =>
        ack({ content: tooMuch }),
      );
      socket.emit('server:join_office', { role: 'computer', name: 'c', office_id: 'o' });
      await office.until(() => agent.heard.length > 0);
      expect(await called()).toMatchObject([cutOff]);
      await ended;
      expect(await office.room(agent)).toEqual(['agent:a']);
    },
  );
  it('fails its call at 9 MiB over bare HTTP although that peer goes on', async () => {
    const page = `${office.url}/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(page)).text()).slice(1)) as { sid: string };
    const post = (body: string): Promise<Response> => fetch(`${page}&sid=${sid}`, { method: 'POST', body });
    const poll = async (): Promise<string> => (await fetch(`${page}&sid=${sid}`)).text();
    await post('40/smcp,');
    await poll();
    await post('42/smcp,0["server:join_office",{"role":"computer","name":"c","office_id":"o"}]');
    await office.until(() => agent.heard.length > 0);
    const answered = called();
    let heard = '';
    while (!heard.includes('client:tool_call')) heard = await poll();
    const id = /42\/smcp,(\d+)\["client:tool_call"/.exec(heard)?.[1];
    expect((await post(`43/smcp,${id}["${tooMuch}"]`)).status).toBe(413);
    expect(await answered).toMatchObject([cutOff]);
  });
  it('arrives at a little less than 8 MiB', async () => {
    await office.answering({ content: 'x'.repeat(8 * mebibyte - 1024) });
    const [result] = await called();
    expect((result as { content: string }).content).toHaveLength(8 * mebibyte - 1024);
  });
});

describe('the request of a raw agent', () => {
  it('costs the agent its connection at 9 MiB, and nobody else', async () => {
    const computer = await office.answering('fine');
    agent.emit('client:tool_call', [callTo('c', { params: { tooMuch } })]);
    await office.until(() => agent.isClosed() && computer.heard.length > 0);
    expect(await office.heard(computer)).toEqual([['notify:leave_office', { office_id: 'o', agent: 'a' }]]);
    const successor = await office.agent('b');
    expect(await office.ask(successor, 'client:tool_call', callTo('c'))).toEqual(['fine']);
  });
});
