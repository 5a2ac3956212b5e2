/** Tests of forbidden names of peers and rooms at a real office, with foreign clients and with ours. */
import { expect, it } from 'vitest';
import { createAgent, createOffice } from '../index.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

it('an office refuses with 400 what looks like another name, and says which character it is', async () => {
  await using office = await createOffice({ port: 0, record: false });
  const peer = new SeatedPeer(office.url, 'a');
  const join = (name: string, office_id: string): Promise<unknown> =>
    peer.ask('server:join_office', { role: 'agent', name, office_id });
  expect(await join('a\u200B', 'o')).toEqual([false, expect.stringContaining('name: a name has no')]);
  expect(await join('a', 'o\u202E')).toEqual([false, expect.stringContaining('office_id: ')]);
  expect(await join('a', 'o ')).toEqual([false, expect.stringContaining('blank')]);
  expect(office.stats().seats).toBe(0);
  expect(await join('a', 'o')).toEqual([true, null]);
  const room = { agent: 'a', req_id: 'r', office_id: 'o\n' };
  expect(await peer.ask('server:list_room', room)).toMatchObject([{ error: { code: 400 } }]);
  peer.close();
});

it('agents and computers of ours are told so of such a name', async () => {
  await using office = await createOffice({ port: 0, record: false });
  const said = {
    code: 'BadRequest',
    message: expect.stringContaining('U+200B'),
    remedy: expect.stringContaining('name'),
  };
  await expect(createAgent({ url: office.url, name: 'a\u200B' })).rejects.toMatchObject(said);
  await using computer = await bootedComputer({ name: 'c\u200B', config: { mcpServers: {} } });
  await expect(computer.join({ url: office.url })).rejects.toMatchObject(said);
});
