import { expect } from 'vitest';
import { broken, eldest } from '../../fixtures/altered.ts';
import type { Emit } from '../../../machines/kernel/ports.ts';
import type { LinkFact } from '../../../machines/link/questions.ts';
import {
  both,
  event,
  follow,
  heard,
  meet,
  never,
  questions,
  refusing,
  showing,
  update,
  type Ack,
  type Answer,
  type Question,
} from '../../stage/following.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import { documents, reads, windows } from '../../stage/showing.ts';
import { after, until } from '../../stage/watching.ts';

for (const collection of both) {
  scenario(`a notice of a changed ${collection} has it looked at, followed or not`, {}, async (s) => {
    const peer = await meet(s, collection, [showing(collection, 1), showing(collection, 2)]);
    expect(questions(peer, collection)).toEqual([]);
    update(peer, collection);
    await s.run(20);
    expect(heard(s)).toEqual([1]);
    update(peer, collection);
    await s.run(20);
    expect(heard(s)).toEqual([1, 2]);
    expect(questions(peer, collection)).toHaveLength(2);
  });

  scenario(`a followed ${collection} of who is there or comes is looked at once`, {}, async (s) => {
    const peer = await meet(s, collection, [showing(collection, 1), showing(collection, 2)], true);
    expect(heard(s)).toEqual([1]);
    follow(s, collection);
    await s.run(20);
    expect(questions(peer, collection)).toHaveLength(1);
    const late = s.peer('c2', {
      [event[collection]]: (body, ack) => showing(collection, 3)(body as Question, ack),
    });
    late.join('computer', 'c2');
    await s.run(20);
    expect(heard(s)).toEqual([1, 3]);
  });

  scenario(`a ${collection} followed later is looked at then, and an order twice is one`, {}, async (s) => {
    const peer = await meet(s, collection, [showing(collection, 1), showing(collection, 2)]);
    follow(s, collection);
    await s.run(20);
    follow(s, collection);
    await s.run(20);
    expect(heard(s)).toEqual([1]);
    expect(questions(peer, collection)).toHaveLength(1);
    s.network.faults.dropLink('a1');
    follow(s, collection);
    await s.run(3000);
    expect(heard(s)).toEqual([1, 2]);
  });

  scenario(`notices while a ${collection} is looked at ask once more; the last is told`, {}, async (s) => {
    const late: (() => void)[] = [];
    const held =
      (count: number): Answer =>
      (question, ack) =>
        late.push(() => showing(collection, count)(question, ack));
    const peer = await meet(
      s,
      collection,
      [held(1), showing(collection, 2), held(3), showing(collection, 4)],
      true,
    );
    update(peer, collection);
    await s.run(10);
    late[0]?.();
    await s.run(10);
    expect(heard(s)).toEqual([2]);
    for (let i = 0; i < 3; i += 1) update(peer, collection);
    await s.run(10);
    expect(questions(peer, collection)).toHaveLength(3);
    late[1]?.();
    await s.run(10);
    expect(heard(s)).toEqual([2, 4]);
    expect(questions(peer, collection)).toHaveLength(4);
  });

  const impatient = { timing: { queryMs: 1000, agentMarginMs: 500 } };
  for (const [what, answer, says] of [
    ['acks nothing', (_: Question, ack: Ack) => ack(), 'does not know the event'],
    ['says 400', refusing(400), 'no: 400'],
    ['says 404', refusing(404), 'no: 404'],
    ['says 501', refusing(501), 'no: 501'],
    ['never answers', never, 'within 1500 ms'],
    ['answers something else', (_: Question, ack: Ack) => ack({ desktops: 1, documents: 1 }), 'not readable'],
  ] as const)
    scenario(`a ${collection} of who ${what} is asked for three times, then rests`, impatient, async (s) => {
      const good = showing(collection, 1);
      const peer = await meet(s, collection, [answer, answer, answer, answer, good], true);
      await s.run(60_000);
      expect(questions(peer, collection)).toHaveLength(3);
      expect(heard(s)).toEqual([1, 2, 3].map(() => expect.stringContaining(says)));
      update(peer, collection);
      await s.run(10_000);
      expect(questions(peer, collection)).toHaveLength(5);
      expect(heard(s).at(-1)).toBe(1);
    });

  scenario(`a question of the host has a resting ${collection} looked at again`, {}, async (s) => {
    const no = refusing(501);
    const peer = await meet(
      s,
      collection,
      [no, no, no, showing(collection, 1), showing(collection, 1)],
      true,
    );
    await s.run(10_000);
    s.query('client:get_config', { computer: 'c1' });
    await s.run(100);
    expect(questions(peer, collection)).toHaveLength(3);
    const first = await after(s, 100, s.query(event[collection], { computer: 'c1' }));
    expect(first.settled).toHaveLength(1);
    expect(heard(s).at(-1)).toBe(1);
    expect(questions(peer, collection)).toHaveLength(5);
    s.query(event[collection], { computer: 'c1' });
    await s.run(100);
    expect(questions(peer, collection)).toHaveLength(6);
  });

  scenario(`a computer with too much to do is asked for a ${collection} until it answers`, {}, async (s) => {
    const busy = Array.from({ length: 6 }, () => refusing(429));
    const peer = await meet(s, collection, [...busy, showing(collection, 1)], true);
    await s.run(20_000);
    expect(questions(peer, collection)).toHaveLength(7);
    expect(heard(s).at(-1)).toBe(1);
  });

  scenario(`a ${collection} whose refresh fails stays known; an answer ends its count`, {}, async (s) => {
    const [no, good] = [refusing(500), showing(collection, 1)];
    const peer = await meet(s, collection, [good, no, no, good, no, no, good], true);
    for (let i = 0; i < 2; i += 1) {
      update(peer, collection);
      await s.run(20);
      expect(s.heard('agent', 'view.collectionChanged').at(-1)).toMatchObject({
        value: expect.anything(),
        failure: { code: 500 },
      });
      await s.run(5000);
      expect(s.heard('agent', 'view.collectionChanged').at(-1)?.failure).toBeNull();
    }
    expect(questions(peer, collection)).toHaveLength(7);
  });

  scenario(`a ${collection} is looked at while its computer, link and agent are there`, {}, async (s) => {
    const peer = await meet(s, collection, [never, never, never], true);
    peer.leave();
    await s.run(60_000);
    expect(questions(peer, collection)).toHaveLength(1);
    peer.join('computer', 'c1');
    await s.run(10);
    expect(questions(peer, collection)).toHaveLength(2);
    s.network.faults.dropLink('a1');
    await s.run(3000);
    expect(questions(peer, collection)).toHaveLength(3);
    expect(heard(s)).toEqual([
      'The computer left before it answered',
      'The connection to the office was lost before an answer',
    ]);
    s.close('agent');
    follow(s, collection === 'desktop' ? 'finder' : 'desktop');
    await s.run(60_000);
    expect(questions(peer, collection)).toHaveLength(3);
    expect(s.directory.find('agent')).toBeUndefined();
  });

  let tell: Emit<LinkFact> = () => {};
  const isAbout = (ev: object): boolean => 'method' in ev && ev.method === event[collection];
  const telling: HarnessOptions = {
    mend: (ports) => ({
      ...ports,
      link: (place, input, emit) => {
        if (input.role === 'agent') tell = emit;
        return ports.link(place, input, emit);
      },
    }),
  };
  scenario(`who tells of a ${collection} and was never here is not looked at`, telling, async (s) => {
    await meet(s, collection, []);
    tell({ type: 'computer.collectionChanged', computer: 'elsewhere', collection });
    await s.run(20);
    expect(s.seen.filter(({ record: r }) => r.k === 'out' && isAbout(r.ev))).toEqual([]);
  });

  const kind = `${collection}View`;
  const breakingOnce = { kinds: broken(kind, 'takeAnswer', eldest(1)), failing: `/${kind}:` };
  scenario(`the view of a ${collection} whose machine breaks is opened again`, breakingOnce, async (s) => {
    await meet(s, collection, [showing(collection, 1), showing(collection, 1)], true);
    expect(heard(s)).toEqual([1]);
  });
  const breaking = { kinds: broken(kind, 'takeAnswer'), failing: `/${kind}:` };
  scenario(`the view of a ${collection} whose machine always breaks is given up`, breaking, async (s) => {
    const peer = await meet(
      s,
      collection,
      Array.from({ length: 9 }, () => showing(collection, 1)),
      true,
    );
    await s.run(100);
    expect(s.heard('agent', 'view.collectionChanged')).toMatchObject([
      { computer: 'c1', collection, value: null, failure: { code: 'Crashed' } },
    ]);
    expect(questions(peer, collection)).toHaveLength(6);
  });

  const two = { servers: { a: windows('window://a/1'), b: documents('dpe://b/1', 'dpe://b/2') } };
  scenario(`a change of a ${collection} at a server reaches the host of the agent`, two, async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    follow(s, collection);
    await s.run(3000);
    const count = collection === 'desktop' ? 1 : 2;
    expect(heard(s, collection).at(-1)).toBe(count);
    const [server, uri] = collection === 'desktop' ? ['a', 'window://a/1'] : ['b', 'dpe://b/1'];
    const [told, asked] = [heard(s, collection).length, reads(s)];
    s.servers.update(server, uri);
    await s.run(1000);
    expect(heard(s, collection)).toHaveLength(told + 1);
    expect(heard(s, collection).at(-1)).toEqual(count);
    expect(reads(s)).toBe(asked + 1);
    s.servers.kill(server, { code: 1 });
    await until(s, () => heard(s, collection).at(-1) === 0);
    await until(s, () => heard(s, collection).at(-1) === count);
  });
}

scenario('a question of the host ends in the time that the host gives it', {}, async (s) => {
  await meet(s, 'desktop', []);
  const question = { ticket: 't1', reqId: 'r1', method: event.desktop, request: { computer: 'c1' } };
  const asked = s.asked('agent', 't1', {
    ...question,
    type: 'agent.query',
    replyTo: 'host:agent',
    timeoutMs: 700,
  });
  await s.run(699);
  expect(asked.settled).toEqual([]);
  await s.run(1);
  expect(asked.settled).toMatchObject([{ end: 'timedOut' }]);
});

const oneWindow = { servers: { fs: windows('window://h/1') } };
scenario('what a computer shows that enters after the agent is followed on', oneWindow, async (s) => {
  await s.office();
  s.agent();
  follow(s, 'desktop');
  await s.run(500);
  s.computer({ linked: true });
  await s.run(3_000);
  const heard = (): number => s.heard('agent', 'view.collectionChanged').length;
  const before = heard();
  s.servers.update('fs', 'window://h/1');
  await s.run(3_000);
  expect(heard()).toBe(before + 1);
});
