import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTo, codeIn } from '../link/link-world.ts';
import { entered, left, type OfficeHarness, openOffice } from './office-harness.ts';

/** The cases O01 to O23 of a2c-wire §8.2, by raw peers against a whole office. O24 is about our link. */
const refused = (text: string): unknown[] => [false, expect.stringContaining(text) as string];
const granted = [true, null];
const listRoom = (office_id: string): object => ({ agent: 'a', req_id: 'r1', office_id });

let office: OfficeHarness;
beforeEach(async () => {
  office = await openOffice();
});
afterEach(() => office.close());

describe('joining', () => {
  it('O01 a computer joins, and sits there under its name', async () => {
    const computer = await office.peer();
    expect(await office.join(computer, 'computer', 'c')).toEqual(granted);
    expect(await office.room(computer)).toEqual(['computer:c']);
  });
  it('O02 the agent hears of a computer that joins, and that computer hears nothing', async () => {
    const agent = await office.agent();
    const computer = await office.computer();
    expect(await office.heard(agent)).toEqual([entered({ computer: 'c' })]);
    expect(await office.heard(computer)).toEqual([]);
  });
  it('O03 a computer hears of the agent that joins', async () => {
    const computer = await office.computer();
    await office.agent();
    expect(await office.heard(computer)).toEqual([entered({ agent: 'a' })]);
  });
  it('O04 a peer that joins twice is told yes twice and announced once', async () => {
    const agent = await office.agent();
    const computer = await office.computer();
    expect(await office.join(computer, 'computer', 'c')).toEqual(granted);
    expect(await office.heard(agent)).toEqual([entered({ computer: 'c' })]);
  });
  it('O05 a second agent is refused, and hears nothing of that office', async () => {
    await office.agent();
    const second = await office.peer();
    expect(await office.join(second, 'agent', 'b')).toEqual(refused('Agent already in room'));
    await office.computer();
    expect(await office.heard(second)).toEqual([]);
  });
  it('O06 an agent that joins elsewhere without leaving is refused and stays', async () => {
    const agent = await office.agent();
    expect(await office.join(agent, 'agent', 'a', 'p')).toEqual(refused('Agent sid already in room'));
    expect(await office.room(agent)).toEqual(['agent:a']);
  });
  it('O08 a connection keeps its role', async () => {
    const computer = await office.computer();
    expect(await office.join(computer, 'agent', 'c')).toEqual(refused('Role mismatch'));
    expect(await office.room(computer)).toEqual(['computer:c']);
  });
  it('O09 a second computer of the same name is refused', async () => {
    await office.computer();
    expect(await office.join(await office.peer(), 'computer', 'c')).toEqual(refused('already exists'));
  });
  it('O10 computers of different names sit in one office', async () => {
    const agent = await office.agent();
    await office.computer('c');
    await office.computer('d');
    expect(await office.room(agent)).toEqual(['agent:a', 'computer:c', 'computer:d']);
  });
  it('O12 a refused socket hears nothing of that office, and gets in under another name', async () => {
    const agent = await office.agent();
    await office.computer('c');
    const second = await office.peer();
    await office.join(second, 'computer', 'c');
    await office.computer('d');
    expect(await office.heard(second)).toEqual([]);
    expect(await office.join(second, 'computer', 'e')).toEqual(granted);
    expect(await office.room(agent)).toEqual(['agent:a', 'computer:c', 'computer:d', 'computer:e']);
  });
  it.each([
    { name: 'c', office_id: 'o' },
    { role: 'admin', name: 'c', office_id: 'o' },
    { role: 'computer', name: '', office_id: 'o' },
    null,
  ])('O18 a wrong join is refused with a text, where the references are silent: %j', async (payload) => {
    const ack = await office.ask(await office.peer(), 'server:join_office', payload);
    expect(ack).toEqual(refused('Wrong payload of server:join_office'));
  });
  it('O19 computers of two offices share a name, and calls reach their own one only', async () => {
    const agent = await office.agent();
    await office.answering('here', 'c', 'o');
    const there = await office.answering('there', 'c', 'p');
    expect(await office.ask(agent, 'client:tool_call', callTo('c'))).toEqual(['here']);
    expect(await office.heard(there)).toEqual([]);
  });
  it('O23 of two agents that race for an office exactly one gets it', async () => {
    const peers = await Promise.all(Array.from({ length: 6 }, () => office.peer()));
    const acks = await Promise.all(peers.map((peer, i) => office.join(peer, 'agent', `a${i}`)));
    expect(acks.filter(([ok]) => ok === true)).toHaveLength(1);
  });
});

describe('moving', () => {
  it('O07 a computer that joins elsewhere leaves here and enters there', async () => {
    const [here, there] = [await office.agent('a', 'o'), await office.agent('b', 'p')];
    const computer = await office.computer('c', 'o');
    expect(await office.join(computer, 'computer', 'c', 'p')).toEqual(granted);
    expect(await office.heard(here)).toEqual([entered({ computer: 'c' }), left({ computer: 'c' })]);
    expect(await office.heard(there)).toEqual([entered({ computer: 'c' }, 'p')]);
  });
  it('O11 a computer moves to an office where its name is free', async () => {
    const computer = await office.computer('c', 'o');
    await office.computer('d', 'p');
    expect(await office.join(computer, 'computer', 'c', 'p')).toEqual(granted);
    expect(await office.room(computer, 'p')).toEqual(['computer:c', 'computer:d']);
  });
  it('O13 a move that fails leaves the computer where it was, and nobody hears of it', async () => {
    const agent = await office.agent();
    const computer = await office.answering('still here');
    await office.computer('c', 'p');
    expect(await office.join(computer, 'computer', 'c', 'p')).toEqual(refused('already exists'));
    expect(await office.heard(agent)).toEqual([entered({ computer: 'c' })]);
    expect(await office.ask(agent, 'client:tool_call', callTo('c'))).toEqual(['still here']);
  });
});

describe('leaving', () => {
  it('O14 the others hear of it, and who left sits nowhere and hears no more', async () => {
    const agent = await office.agent();
    const computer = await office.computer();
    expect(await office.leave(computer)).toEqual(granted);
    expect(await office.heard(agent)).toEqual([entered({ computer: 'c' }), left({ computer: 'c' })]);
    expect(codeIn(await office.ask(computer, 'server:list_room', listRoom('o')))).toBe(403);
    await office.computer('d');
    expect(await office.heard(computer)).toEqual([]);
  });
  it('O15 leaving an office where one does not sit disturbs nobody; it is refused', async () => {
    const agent = await office.agent();
    const stranger = await office.peer();
    const other = await office.answering('there', 'c', 'p');
    for (const peer of [stranger, other])
      expect(await office.leave(peer, 'o')).toEqual(refused("Not in office 'o'"));
    expect(await office.heard(agent)).toEqual([]);
    const neighbour = await office.agent('b', 'p');
    expect(await office.ask(neighbour, 'client:tool_call', callTo('c'))).toEqual(['there']);
  });
  it('O16 a socket that drops is told to the others, and its name is free', async () => {
    const agent = await office.agent();
    (await office.computer()).close();
    await office.until(() => agent.heard.length > 1);
    expect(await office.heard(agent)).toEqual([entered({ computer: 'c' }), left({ computer: 'c' })]);
    expect(await office.join(await office.peer(), 'computer', 'c')).toEqual(granted);
  });
  it('O17 who takes a name while its old socket is being cleared away is the one who is called', async () => {
    const agent = await office.agent();
    const [old, fresh] = [await office.computer(), await office.peer()];
    fresh.onAsked = ({ ack }) => ack?.('successor');
    old.close();
    // Refused as long as the old socket is not known to be gone.
    while ((await office.join(fresh, 'computer', 'c'))[0] !== true);
    expect(await office.ask(agent, 'client:tool_call', callTo('c'))).toEqual(['successor']);
    expect(await office.heard(agent)).toEqual([
      entered({ computer: 'c' }),
      left({ computer: 'c' }),
      entered({ computer: 'c' }),
    ]);
  });
});

describe('listing', () => {
  it('O20 an agent sees all who sit in its office, itself too', async () => {
    const agent = await office.agent();
    await office.computer('c');
    await office.computer('d');
    await office.computer('e', 'p');
    const [reply] = await office.ask(agent, 'server:list_room', listRoom('o'));
    const session = (role: string, name: string): object => ({
      sid: expect.any(String) as string,
      name,
      role,
      office_id: 'o',
    });
    expect(reply).toEqual({
      req_id: 'r1',
      sessions: [session('agent', 'a'), session('computer', 'c'), session('computer', 'd')],
    });
  });
  it('O21 an agent that is alone sees itself', async () => {
    expect(await office.room(await office.agent())).toEqual(['agent:a']);
  });
  it('O22 nobody sees another office: 403', async () => {
    const agent = await office.agent();
    await office.computer('c', 'p');
    const [reply] = await office.ask(agent, 'server:list_room', listRoom('p'));
    const error = { code: 403, message: 'Only the own office can be listed' };
    expect(reply).toEqual({ ...error, error });
  });
});
