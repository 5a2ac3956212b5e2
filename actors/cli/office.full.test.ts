import { describe, expect, it } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { fileURLToPath } from 'node:url';

const state = testFolder('drain');

async function office(...argv: string[]) {
  const started = startCommand(['office', '--port', '0', '--open', ...argv], { XDG_STATE_HOME: state });
  const [url] = await started.said(/^http:\S+(?=\n)/);
  return { ...started, url };
}
async function seated(url: string, role: 'agent' | 'computer', name: string): Promise<SeatedPeer> {
  const peer = closedAfter(new SeatedPeer(url, name));
  expect(await peer.join(role)).toEqual([true, null]);
  return peer;
}
const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 0 };
const closing = { code: 503, message: 'The office is closing: connect again' };

describe('an office that hears SIGTERM', () => {
  it('answers the call that runs, takes no other, and says to all that they may connect again', async () => {
    const { child, url, exited } = await office();
    const computer = await seated(url, 'computer', 'c');
    const idle = await seated(url, 'computer', 'idle');
    const agent = await seated(url, 'agent', 'a');
    const asked = new Promise<(result: object) => void>((resolve) => {
      computer.socket.once('client:tool_call', (_: unknown, ack: (result: object) => void) => resolve(ack));
    });
    const answer = agent.ask('client:tool_call', call);
    const answerIt = await asked;
    child.kill('SIGTERM');
    // The office says goodbye first to peers that wait for no answer.
    await idle.hears('notify:disconnecting', closing);
    expect(await agent.ask('client:tool_call', { ...call, req_id: 'late' })).toMatchObject([
      { isError: true, structuredContent: { error: { code: 503, details: { reason: 'closing' } } } },
    ]);
    expect(await computer.ask('server:join_office', { office_id: 'p', role: 'computer', name: 'c' })).toEqual(
      [false, closing.message],
    );
    const response = await fetch(`${url}/socket.io/?EIO=4&transport=polling`);
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ code: 503 })]);
    answerIt({ content: [{ type: 'text', text: 'done' }] });
    expect(await answer).toMatchObject([{ content: [{ text: 'done' }] }]);
    for (const peer of [agent, computer]) await peer.hears('notify:disconnecting', closing);
    expect(await exited).toMatchObject({ code: 143 });
  });

  it.each([
    ['the time of --drain is over', ['--drain', '0.2'], undefined],
    ['it is 0', ['--drain', '0'], undefined],
    ['a second signal comes', [], 'SIGTERM' as const],
  ])('ends although a call runs when %s', async (_, argv, again) => {
    const { child, url, exited, said } = await office(...argv);
    const computer = await seated(url, 'computer', 'c');
    const agent = await seated(url, 'agent', 'a');
    const asked = new Promise((resolve) => computer.socket.once('client:tool_call', resolve));
    const answer = agent.ask('client:tool_call', call);
    await asked;
    child.kill('SIGTERM');
    if (again) {
      await said(/waits up to 10 s for calls that run/);
      child.kill(again);
    } else
      expect(await answer).toMatchObject([
        { structuredContent: { error: { details: { reason: 'closing' } } } },
      ]);
    expect(await exited).toMatchObject({ code: 143 });
  });
});

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const pem = (name: string): string => at(`scenarios/fixtures/tls/${name}`);

const ran = (argv: readonly string[], env: Record<string, string> = {}) =>
  startCommand(argv, { XDG_STATE_HOME: state, A2C_TOKEN: 'token', ...env });

it('commands reach an office with a certificate by https where they trust its authority, and say why where they do not', async () => {
  const files = ['--tls-cert', pem('office.pem'), '--tls-key', pem('office.key')];
  const argv = ['office', '--port', '0', '--host', '0.0.0.0', ...files];
  const { child, said, exited } = ran(argv);
  const [listens] = await said(/^https:\S+(?=\n)/);
  const url = listens.replace('0.0.0.0', 'localhost');
  expect(url).toMatch(/^https:\/\/localhost:\d+$/);
  await ran(['tools', '--url', url], { NODE_EXTRA_CA_CERTS: pem('ca.pem') }).said(
    /No computer is in this office/,
  );
  await ran(['tools', '--url', url]).said(/no secure connection/);
  child.kill('SIGTERM');
  await exited;
});

it.each([
  [['--tls-cert', pem('office.pem')], 'Give --tls-cert and --tls-key.'],
  [['--tls-cert', '/nowhere.pem', '--tls-key', pem('office.key')], '--tls-cert: ENOENT'],
  [['--tls-cert', pem('office.pem'), '--tls-key', pem('peer.key')], 'tls: '],
])('an office is not opened with %j', async (files, says) => {
  const { told, exited } = ran(['office', '--port', '0', ...files]);
  expect([(await exited).code, told.err]).toEqual([1, expect.stringContaining(says)]);
});
