/** Tests of a computer that reconnects while its old connection hangs: only the same credential gets its seat. */
import type { Socket as NetSocket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { enteringPeer, type EnteringPeer } from '../../scenarios/fixtures/entering.ts';
import { seatedSocket } from '../../scenarios/fixtures/raw-socket.ts';
import { createOffice, type Office } from '../index.ts';

const peer = (office: Office, token: string): EnteringPeer => enteringPeer(office.url, token);
const auth = [
  { token: 'mine', label: 'build-1' },
  { token: 'rotated', label: 'build-1' },
  { token: 'others', label: 'build-2' },
];
const openOffice = (): Promise<Office> => createOffice({ port: 0, auth, record: false });

const hanging = ({ port }: Office, token: string, role: string, name: string): Promise<NetSocket> =>
  seatedSocket(port, { role, name, token });
const taken = [false, expect.stringContaining('already exists')];

describe('a seat whose connection hangs', () => {
  it.each([
    ['computer', 'mine'],
    ['computer', 'rotated'],
    ['agent', 'mine'],
  ])('is had by who shows %s for a %s, and the old connection is closed', async (role, token) => {
    await using office = await openOffice();
    const old = await hanging(office, 'mine', role, 'n1');
    const over = new Promise((resolve) => old.once('close', resolve));
    const watcher = peer(office, 'others');
    const other = role === 'agent' ? 'computer' : 'agent';
    expect(await watcher.join('o', other, 'watcher')).toEqual([true, null]);
    const heard: unknown[] = [];
    watcher.socket.onAny((event: string, body: object) => heard.push([event, body]));
    expect(await peer(office, token).join('o', role, 'n1')).toEqual([true, null]);
    await over;
    await expect
      .poll(() => heard)
      .toEqual([
        ['notify:leave_office', { office_id: 'o', [role]: 'n1' }],
        ['notify:enter_office', { office_id: 'o', [role]: 'n1' }],
      ]);
    expect(office.stats().seats).toBe(2);
  });

  it('is not had by who shows another credential', async () => {
    await using office = await openOffice();
    await hanging(office, 'mine', 'computer', 'n1');
    expect(await peer(office, 'others').join('o', 'computer', 'n1')).toEqual(taken);
  });

  it('is not had where nobody is asked for a credential', async () => {
    await using office = await createOffice({ port: 0, record: false });
    await hanging(office, 'any', 'computer', 'n1');
    expect(await peer(office, 'any').join('o', 'computer', 'n1')).toEqual(taken);
  });
});

it('a seat whose connection lives stays with it, whatever who asks for it shows', async () => {
  await using office = await openOffice();
  const holder = peer(office, 'mine');
  expect(await holder.join('o', 'computer', 'n1')).toEqual([true, null]);
  expect(await peer(office, 'mine').join('o', 'computer', 'n1')).toEqual(taken);
  expect(holder.socket.connected).toBe(true);
});

it('an office that closes while it waits for a sign of life answers who asked', async () => {
  const office = await openOffice();
  await hanging(office, 'mine', 'computer', 'n1');
  const next = peer(office, 'mine');
  await next.entered;
  const joined = next.join('o', 'computer', 'n1');
  await next.ask('server:list_room', {});
  await office.close();
  expect(await joined).toEqual([false, 'The office is closing']);
});
