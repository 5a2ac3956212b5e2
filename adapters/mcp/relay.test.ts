import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { Relay } from './relay.ts';

const request = (id: number | string, method = 'tools/call', params = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const failure = { code: 'ServerLost', message: 'it is gone', details: { exit_code: 3 } } as const;
const greeting = { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } } };

function relayed(resumes = true) {
  const got: object[] = [];
  const relay = new Relay(
    's',
    { deliver: (message) => void got.push(message), failed: () => {}, connected: () => {} },
    resumes,
  );
  const connect = () => {
    const sent: object[] = [];
    const connection = {
      send: (message: JSONRPCMessage): undefined => void sent.push(message),
      greetAgain: (params: unknown): void => void sent.push({ again: params }),
    };
    relay.connected(connection);
    return { sent, connection };
  };
  return { relay, got, connect };
}
async function greeted() {
  const all = relayed();
  const first = all.connect();
  await all.relay.send(request(0, 'initialize', { a: 1 }));
  all.relay.answered({ id: 0, result: greeting });
  await all.relay.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { ...all, first };
}

describe('a relay', () => {
  it('fails what was sent with the reason, and keeps what was not for the next connection', async () => {
    const { relay, got, first, connect } = await greeted();
    await relay.send(request(1));
    relay.disconnected(first.connection);
    await relay.send(request(2));
    relay.lose(failure);
    const error = { code: -32_000, message: 'it is gone', data: { code: 'ServerLost', exit_code: 3 } };
    expect(got).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
    const second = connect();
    expect(second.sent).toEqual([{ again: { a: 1 } }]);
    expect(relay.resumed({ result: greeting })).toBeUndefined();
    expect(second.sent.slice(1)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request(2),
    ]);
    expect(got.at(-1)).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  });
  it('takes back a request that waits, without a word to any server', async () => {
    const { relay, first, connect } = await greeted();
    relay.disconnected(first.connection);
    await relay.send(request('x'));
    const params = { requestId: 'x' };
    await relay.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    const { sent } = connect();
    relay.resumed({ result: greeting });
    expect(sent).toHaveLength(2);
  });
  it('asks again with a handshake that got no answer', async () => {
    const { relay, got, connect } = relayed();
    const first = connect();
    await relay.send(request(0, 'initialize'));
    relay.disconnected(first.connection);
    relay.lose(failure);
    expect([got, connect().sent]).toEqual([[], [request(0, 'initialize')]]);
  });
  it('keeps the answer to a question of a lost server from its successor, and withdraws the question', async () => {
    const { relay, got, first, connect } = await greeted();
    relay.asked(request(7, 'roots/list'));
    relay.disconnected(first.connection);
    relay.lose(failure);
    expect(got.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 7 } });
    const { sent } = connect();
    relay.resumed({ result: greeting });
    await relay.send({ jsonrpc: '2.0', id: 7, result: {} });
    expect(sent).not.toContainEqual(expect.objectContaining({ id: 7 }));
  });
  it.each([
    ['speaks version 2024', { ...greeting, protocolVersion: '2024' }],
    ['without tools', { ...greeting, capabilities: {} }],
  ])('does not go on with a server that %s', async (words, result) => {
    const { relay, first, connect } = await greeted();
    relay.disconnected(first.connection);
    relay.lose(failure);
    const { sent } = connect();
    expect(relay.resumed({ result })).toMatchObject({
      code: 'NotStartable',
      message: expect.stringContaining(words),
    });
    expect(sent).toHaveLength(1);
  });
  it('answers everything at its end, and refuses what comes later', async () => {
    const { relay, got } = relayed(false);
    await relay.send(request(1));
    relay.end(failure);
    expect(got).toMatchObject([{ id: 1, error: { message: 'it is gone' } }]);
    await expect(relay.send(request(2))).rejects.toThrow('it is gone');
  });
  it('finds the request of an answer whose id came as a number', async () => {
    const { relay, connect } = relayed();
    connect();
    await relay.send(request('5'));
    expect(relay.answered({ id: 5, result: {} })).toMatchObject({ id: '5' });
    expect(relay.answered({ id: 5, result: {} })).toBeUndefined();
  });
});
