/** Tests of how an operator sees and disconnects peers of an office, in a program and over the metrics port. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createOffice, type LogEntry, type Office, type OfficeOptions } from '../index.ts';
import { enteringPeer } from '../../scenarios/fixtures/entering.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('operating');
const path = join(folder, 'tokens.json');
const tokens = (...all: readonly object[]): void => writeFileSync(path, JSON.stringify({ tokens: all }));
const [red, blue] = [
  { token: 'the-red-token', label: 'red' },
  { token: 'the-blue-token', label: 'blue' },
];
const officeWith = (more: OfficeOptions = {}): Promise<Office> => {
  tokens(red, blue);
  return createOffice({ port: 0, record: false, auth: { tokensFile: path }, ...more });
};
async function seated({ url }: Office, token: string, name: string, transports = ['polling', 'websocket']) {
  const { socket, join: sit } = enteringPeer(url, token, { transports });
  // The peer receives this notice before the office disconnects it.
  const told = new Promise((resolve) => socket.once('notify:disconnecting', resolve));
  const over = new Promise((resolve) => socket.once('disconnect', resolve));
  await sit('o', 'computer', name);
  return { socket, told, over };
}

describe('the operator of an office', () => {
  it('sees who is connected, and disconnects one of them', async () => {
    await using office = await officeWith();
    const [one, two] = [await seated(office, red.token, 'c1'), await seated(office, blue.token, 'c2')];
    expect(office.peers()).toEqual([
      {
        id: one.socket.id,
        address: expect.stringContaining('127.0.0.1'),
        subject: 'red',
        seat: { office: 'o', role: 'computer', name: 'c1' },
        misses: expect.arrayContaining(['large contents in parts', 'files of agents']),
        since: expect.any(Number),
      },
      expect.objectContaining({ id: two.socket.id, subject: 'blue' }),
    ]);
    expect(office.disconnect(one.socket.id ?? '', 'go home')).toBe(true);
    expect(await one.told).toEqual({ code: 401, message: 'go home' });
    await one.over;
    expect([office.disconnect('nobody'), two.socket.connected]).toEqual([false, true]);
    await expect.poll(() => office.peers()).toHaveLength(1);
  });

  it('takes back a credential that is connected', async () => {
    await using office = await officeWith();
    // Over polling a disconnect takes effect a moment after its notice.
    const one = await seated(office, red.token, 'c1', ['polling']);
    const two = await seated(office, blue.token, 'c2');
    expect(await office.reload()).toEqual([]);
    tokens(blue);
    const heard: string[] = [];
    one.socket.onAny((event: string) => heard.push(event));
    const id = one.socket.id ?? '';
    const both = await Promise.all([office.reload(), office.reload()]);
    expect(both.flat()).toMatchObject([{ subject: 'red', seat: { name: 'c1' } }]);
    expect(office.disconnect(id)).toBe(false);
    expect(await one.told).toEqual({ code: 401, message: 'This office does not know that token' });
    await one.over;
    expect(heard.filter((event) => event === 'notify:disconnecting')).toHaveLength(1);
    // The grant of this token changes, so its holder must connect again.
    tokens({ ...blue, names: ['c2'] });
    expect(await office.reload()).toMatchObject([{ subject: 'blue' }]);
    expect(await two.told).toMatchObject({ code: 401, message: expect.stringContaining('connect again') });
  });

  it('hears what cannot be read, and all stays as it was', async () => {
    await using office = await officeWith();
    const one = await seated(office, red.token, 'c1');
    writeFileSync(path, '{"tokens": [');
    await expect(office.reload()).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(path),
    });
    expect(one.socket.connected).toBe(true);
    expect((await seated(office, blue.token, 'c2')).socket.connected).toBe(true);
    let isDown = false;
    office.admit(() => {
      if (isDown) throw new Error('the directory is down');
      return { grant: { subject: 'red' } };
    });
    isDown = true;
    // An error of the credential check leaves connected peers as they are.
    expect([await office.reload(), one.socket.connected]).toEqual([[], true]);
  });

  it('changes the certificate without an end', async () => {
    const fileOf = (name: string): string => readFileSync(fixtureFile(`tls/${name}`), 'utf8');
    const [cert, key] = [fileOf('office.pem'), fileOf('office.key')];
    const other = { cert: fileOf('peer.pem'), key: fileOf('peer.key') };
    let tls = { cert, key };
    await using office = await officeWith({ tls: () => tls });
    const shown = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({ port: office.port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const before = await shown();
    tls = { cert: other.cert, key };
    await expect(office.reload()).rejects.toMatchObject({ message: expect.stringContaining('tls: ') });
    expect(await shown()).toBe(before);
    tls = other;
    await office.reload();
    expect(await shown()).not.toBe(before);
  });

  it('reads at the default level why somebody was not let in', async () => {
    const told: LogEntry[] = [];
    const lines = (): unknown[] => told.map(({ level, event, message }) => `${level} ${event}: ${message}`);
    await using office = await officeWith({ log: (entry) => void told.push(entry) });
    await enteringPeer(office.url, 'guessed').entered;
    expect(lines()).toEqual(['warn peer.refused: This office does not know that token']);
    office.admit(() => {
      throw new Error('the directory is down');
    });
    await enteringPeer(office.url, 'guessed').entered;
    expect(lines().at(-1)).toBe('warn peer.refused: nobody could say whether it may: the directory is down');
  });
});

describe('the port of the metrics', () => {
  const asked = async (office: Office, what: string, token?: string): Promise<object> => {
    const [method = '', way = ''] = what.split(' ');
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${office.metricsUrl}${way}`, { method, headers });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const token = 'the-token-of-the-operator';

  it('shows and disconnects peers, and reloads, for who has its token', async () => {
    await using office = await officeWith({ metrics: { port: 0, token } });
    const [one, two] = [await seated(office, red.token, 'c1'), await seated(office, blue.token, 'c2')];
    expect(await asked(office, 'GET /peers', token)).toMatchObject({
      status: 200,
      body: { peers: [{ subject: 'red', seat: { name: 'c1' } }, { id: two.socket.id }] },
    });
    const gone = { status: 200, body: { disconnected: 1 } };
    expect(await asked(office, `DELETE /peers/${one.socket.id}`, token)).toEqual(gone);
    await one.over;
    expect(await asked(office, 'DELETE /peers/nobody', token)).toMatchObject({ status: 404 });
    tokens(red);
    expect(await asked(office, 'POST /reload', token)).toEqual(gone);
    await two.over;
    writeFileSync(path, '{');
    expect(await asked(office, 'POST /reload', token)).toMatchObject({ status: 409 });
    expect(await asked(office, 'PUT /peers', token)).toMatchObject({ status: 405 });
  });

  it.each(['GET /peers', 'DELETE /peers/x', 'POST /reload'])(
    'does nothing of it for anybody else: %s',
    async (what) => {
      await using office = await officeWith({ metrics: { port: 0, token } });
      expect(await asked(office, what)).toMatchObject({ status: 401 });
      expect(await asked(office, what, 'guessed')).toMatchObject({ status: 401 });
      expect(await asked(office, 'GET /metrics')).toMatchObject({ status: 200 });
      await using without = await officeWith({ metrics: { port: 0 } });
      expect(await asked(without, what, token)).toMatchObject({ status: 404 });
    },
  );
});
