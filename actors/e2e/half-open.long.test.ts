/** Tests of connections that stay half-open at a real office: each counts against its limits until the office ends it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect as connectTcp, type Socket as NetSocket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Socket } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enteringPeer, refusedFor as refused } from '../../scenarios/fixtures/entering.ts';
import { frameOf, halfOf, headersOf, upgradeOf } from '../../scenarios/fixtures/raw-socket.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { createOffice, type GivenLimits, type Office } from '../index.ts';

const token = 'the-token';
const officeWith = (limits: GivenLimits, more: object = {}): Promise<Office> =>
  createOffice({ port: 0, auth: token, limits, record: false, ...more });

/** TCP connection that has sent these texts and ignores all received data. */
async function raw(office: Office, ...said: readonly (string | Buffer)[]): Promise<NetSocket> {
  const socket = connectTcp(office.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  for (const text of said) socket.write(text);
  return socket;
}
const gone = (socket: NetSocket): Promise<unknown> =>
  new Promise((resolve) => (socket.destroyed ? resolve(true) : socket.once('close', resolve)));
/** WebSocket that has finished its handshake and sent these frames. */
async function web(office: Office, ...said: readonly Buffer[]): Promise<NetSocket> {
  const socket = await raw(office, upgradeOf());
  await once(socket, 'data');
  for (const frame of said) socket.write(frame);
  return socket;
}
async function polling({ url }: Office): Promise<string> {
  const answer = await (await fetch(`${url}/socket.io/?EIO=4&transport=polling`)).text();
  return (JSON.parse(answer.slice(1)) as { readonly sid: string }).sid;
}
const post = (sid: string, length: number): string =>
  headersOf(`POST /socket.io/?EIO=4&transport=polling&sid=${sid}`, `Content-Length: ${length}`);

async function peer(
  { url }: Office,
  transports: readonly string[] = ['websocket'],
): Promise<{ readonly socket: Socket; readonly isIn: boolean }> {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { socket, entered } = enteringPeer(url, token, {
    // The types of socket.io-client know only the agent of browsers, so a cast is needed.
    agent: agent as never,
    transports: [...transports],
  });
  return { socket, isIn: (await entered) === true };
}

describe('a connection that is not let in', () => {
  it.each<[what: string, open: (office: Office) => Promise<NetSocket>]>([
    ['says nothing', (office) => raw(office)],
    ['begins a header', (office) => raw(office, 'GET /socket.io/?EIO=4')],
    ['asks for a page, and for no more', (office) => raw(office, headersOf('GET /'))],
    ['never ends a body', (office) => raw(office, headersOf('POST /', 'Content-Length: 9999'), 'x')],
    ['has a web socket', (office) => web(office)],
    ['begins a message', (office) => web(office, halfOf(1_000))],
    ['begins a message of bytes', (office) => web(office, halfOf(1_000, 0x82))],
    ['shows another token, and stays', (office) => web(office, frameOf('40/smcp,{"token":"guessed"}'))],
    ['is in the namespace of nobody', (office) => web(office, frameOf('40'))],
    ['says goodbye, and stays', (office) => web(office, frameOf('1'))],
    ['opens what is no web socket', (office) => raw(office, upgradeOf().replace('/socket.io/', '/other/'))],
    ['never begins its upgrade', async (office) => raw(office, upgradeOf(await polling(office)))],
    [
      'has half a request of its session',
      async (office) => raw(office, post(await polling(office), 99), '4'),
    ],
  ])('is ended after entryMs when it %s', async (_, open) => {
    await using office = await officeWith({ entryMs: 300 });
    await gone(await open(office));
    await expect.poll(() => office.stats().connections).toBe(0);
    expect(refused(office, 'entryMs')).toBeGreaterThan(0);
  });

  it.each<[what: string, begin: (port: number) => NetSocket]>([
    ['no handshake of TLS', (port) => connectTcp(port, '127.0.0.1')],
    ['nothing after it', (port) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })],
  ])('is ended over TLS, too, when it says %s', async (_, begin) => {
    const file = (name: string) => readFileSync(fixtureFile(`tls/${name}`), 'utf8');
    const tls = { cert: file('office.pem'), key: file('office.key') };
    await using office = await officeWith({ entryMs: 300 }, { tls });
    const socket = begin(office.port)
      .on('error', () => {})
      .resume();
    onTestFinished(() => void socket.destroy());
    await gone(socket);
    await expect.poll(() => office.stats().connections).toBe(0);
  });

  it.each<[what: string, open: (office: Office) => Promise<NetSocket>]>([
    ['half a message', (office) => web(office, halfOf(20_000))],
    ['half a message of bytes', (office) => web(office, halfOf(20_000, 0x82))],
    ['small messages', (office) => web(office, ...Array.from({ length: 4_000 }, () => frameOf('3')))],
    ['a large token', (office) => web(office, halfOf(0), Buffer.alloc(20_000))],
    [
      'a body',
      async (office) => raw(office, post(await polling(office), 99_999), Buffer.alloc(20_000, 0x34)),
    ],
  ])('has entryBytes, and is ended after more: %s', async (_, open) => {
    await using office = await officeWith({ entryMs: 0 });
    await gone(await open(office));
    await expect.poll(() => refused(office, 'entryBytes')).toBe(1);
  });
});

describe('a connection that is let in', () => {
  it('may wait for that in a request when it polls, however long it takes to be checked', async () => {
    let decide = (_is: boolean): void => {};
    const checked = new Promise<boolean>((resolve) => (decide = resolve));
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const auth = (): Promise<boolean> => {
      asked();
      return checked;
    };
    await using office = await officeWith({ entryMs: 0 }, { auth });
    const way = `${office.url}/socket.io/?EIO=4&transport=polling&sid=${await polling(office)}`;
    const waiting = fetch(way).then((answer) => answer.text());
    expect(await (await fetch(way, { method: 'POST', body: '40/smcp' })).text()).toBe('ok');
    await isAsked;
    decide(false);
    expect(await waiting).toMatch(/^44\/smcp,.*does not let you in/);
  });

  it.each([[['websocket']], [['polling']], [['polling', 'websocket']]])(
    'stays over %j, longer and with more than who is not',
    async (transports) => {
      await using office = await officeWith({ entryMs: 4_000 });
      const { socket, isIn } = await peer(office, transports);
      expect(isIn).toBe(true);
      const warnings: Error[] = [];
      const warned = (warning: Error): void => void warnings.push(warning);
      onTestFinished(() => void process.off('warning', warned));
      process.on('warning', warned);
      // This later connection is not admitted, and the office ends it.
      await gone(await web(office));
      const name = 'n'.repeat(200);
      for (let count = 0; count < 200; count++)
        await socket.emitWithAck('server:list_room', { agent: name, req_id: name, office_id: name });
      // A connection with many requests must not collect listeners, which would cause a warning.
      expect([socket.connected, warnings]).toEqual([true, []]);
    },
  );

  it('has entryBytes of its own over a connection of a proxy, whatever came over it before', async () => {
    await using office = await officeWith({ entryMs: 0 }, { trustProxy: 1 });
    const socket = await raw(office);
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    for (let count = 1; count <= 10; count++) {
      socket.write(headersOf('GET /', `X-Padding: ${'x'.repeat(2_000)}`));
      await expect.poll(() => heard.match(/404 Not Found/g)).toHaveLength(count);
    }
    socket.write(upgradeOf());
    await expect.poll(() => heard).toContain('101 Switching');
    socket.write(frameOf(`40/smcp,{"token":"${token}"}`));
    await expect.poll(() => heard).toContain('40/smcp,{"sid"');
    expect(refused(office, 'entryBytes')).toBe(0);
  });

  it('finds room beside many who are not, the oldest of whom make it', async () => {
    await using office = await officeWith({ connections: 3, entryMs: 0 });
    const strangers = [await web(office), await web(office, halfOf(1_000)), await web(office)];
    const oldest = gone(strangers[0] as NetSocket);
    const { socket, isIn } = await peer(office);
    expect(isIn).toBe(true);
    await oldest;
    expect([office.stats().connections, strangers[2]?.destroyed]).toEqual([3, false]);
    await peer(office);
    await peer(office);
    // Admitted connections are never ended to make room.
    expect([(await peer(office)).isIn, socket.connected]).toEqual([false, true]);
  });

  it('is ended all the same when it does not answer the goodbye', async () => {
    await using office = await officeWith({ entryMs: 2_000 });
    const socket = await web(office, frameOf(`40/smcp,{"token":"${token}"}`));
    await expect.poll(() => office.peers()).toHaveLength(1);
    expect(office.disconnect(office.peers()[0]?.id ?? '')).toBe(true);
    await gone(socket);
    await expect.poll(() => office.stats().connections).toBe(0);
    expect(refused(office, 'entryMs')).toBe(1);
  });
});
