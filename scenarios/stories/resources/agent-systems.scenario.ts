/** What an agent follows of the Desktop and the Finder of a computer that answers rightly, wrongly, late, or not at all. */
import { expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { machines } from '../../../actors/runtime/assemble.ts';
import type { Give, LinkFact } from '../../../machines/kernel/ports.ts';
import {
  at,
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
import { onStage } from '../../stage/scenario.ts';
import { documents, reads, windows } from '../../stage/showing.ts';
import { contextOf, until } from '../../stage/watching.ts';

for (const system of both) {
  onStage(
    `a notice of a changed ${system} has it looked at, whether its host follows or not; nobody else is`,
    {},
    (s) => {
      const peer = meet(s, system, [showing(system, 1), showing(system, 2)]);
      expect([questions(peer, system), s.state(at[system])]).toEqual([[], undefined]);
      update(peer, system);
      s.run(20);
      expect([heard(s), s.state(at[system])]).toEqual([[1], '{ready:steady}']);
      update(peer, system);
      s.run(20);
      expect([heard(s), questions(peer, system).length]).toEqual([[1, 2], 2]);
    },
  );

  onStage(
    `a followed ${system} is looked at without a notice, of who is there and of who comes, once`,
    {},
    (s) => {
      const peer = meet(s, system, [showing(system, 1), showing(system, 2)], true);
      expect(heard(s)).toEqual([1]);
      follow(s, system);
      s.run(20);
      expect(questions(peer, system)).toHaveLength(1);
      const late = s.peer('c2', {
        [event[system]]: (body, ack) => showing(system, 3)(body as Question, ack),
      });
      late.join('computer', 'c2');
      s.run(20);
      expect(heard(s)).toEqual([1, 3]);
    },
  );

  onStage(
    `a ${system} that is followed later is looked at then, and an order twice changes nothing`,
    {},
    (s) => {
      const peer = meet(s, system, [showing(system, 1), showing(system, 2)]);
      follow(s, system);
      s.run(20);
      follow(s, system);
      s.run(20);
      expect([heard(s), questions(peer, system).length]).toEqual([[1], 1]);
      s.network.faults.dropLink('a1');
      follow(s, system);
      s.run(3000);
      expect(heard(s)).toEqual([1, 2]);
    },
  );

  onStage(
    `notices while a ${system} is looked at ask once more, and only the last answer is told`,
    {},
    (s) => {
      const late: (() => void)[] = [];
      const held =
        (count: number): Answer =>
        (question, ack) =>
          late.push(() => showing(system, count)(question, ack));
      const peer = meet(s, system, [held(1), showing(system, 2), held(3), showing(system, 4)], true);
      update(peer, system);
      s.run(10);
      late[0]?.();
      s.run(10);
      expect(heard(s)).toEqual([2]);
      for (let i = 0; i < 3; i += 1) update(peer, system);
      s.run(10);
      expect(s.state(at[system])).toBe('{ready:{refreshing:outdated}}');
      late[1]?.();
      s.run(10);
      expect([heard(s), questions(peer, system).length]).toEqual([[2, 4], 4]);
    },
  );

  for (const [what, answer, says] of [
    ['acks nothing', (_: Question, ack: Ack) => ack(), 'does not know the event'],
    ['says 400', refusing(400), 'no: 400'],
    ['says 404', refusing(404), 'no: 404'],
    ['says 501', refusing(501), 'no: 501'],
    ['never answers', never, 'within 1500 ms'],
    ['answers something else', (_: Question, ack: Ack) => ack({ desktops: 1, documents: 1 }), 'not readable'],
  ] as const)
    onStage(
      `a computer that ${what} when it is asked for its ${system} is asked three times, then rests and says why`,
      { timing: { queryMs: 1000, agentMarginMs: 500 } },
      (s) => {
        const good = showing(system, 1);
        const peer = meet(s, system, [answer, answer, answer, answer, good], true);
        s.run(60_000);
        expect([questions(peer, system).length, s.state(at[system])]).toEqual([3, 'resting']);
        expect(contextOf<{ failure: unknown }>(s, at[system])?.failure).toMatchObject({
          message: expect.stringContaining(says),
        });
        expect(heard(s)).toEqual([1, 2, 3].map(() => expect.stringContaining(says)));
        update(peer, system);
        s.run(10_000);
        expect([questions(peer, system).length, heard(s).at(-1)]).toEqual([5, 1]);
      },
    );

  onStage(
    `a question of the host has a ${system} that rests looked at again; one that is known is not`,
    {},
    (s) => {
      const no = refusing(501);
      const peer = meet(s, system, [no, no, no, showing(system, 1), showing(system, 1)], true);
      s.run(10_000);
      expect(s.state(at[system])).toBe('resting');
      s.query('client:get_config', { computer: 'c1' });
      s.run(100);
      expect(s.state(at[system])).toBe('resting');
      const first = s.query(event[system], { computer: 'c1' });
      s.run(100);
      expect([first.settled.length, heard(s).at(-1), questions(peer, system).length]).toEqual([1, 1, 5]);
      s.query(event[system], { computer: 'c1' });
      s.run(100);
      expect(questions(peer, system)).toHaveLength(6);
    },
  );

  onStage(`a computer that has too much to do is asked for its ${system} until it answers`, {}, (s) => {
    const busy = Array.from({ length: 6 }, () => refusing(429));
    const peer = meet(s, system, [...busy, showing(system, 1)], true);
    s.run(20_000);
    expect([questions(peer, system).length, heard(s).at(-1)]).toEqual([7, 1]);
  });

  onStage(
    `a ${system} whose refresh fails stays known, and its failures count anew after an answer`,
    {},
    (s) => {
      const [no, good] = [refusing(500), showing(system, 1)];
      const peer = meet(s, system, [good, no, no, good, no, no, good], true);
      for (let i = 0; i < 2; i += 1) {
        update(peer, system);
        s.run(20);
        expect(s.heard('agent', 'system.viewed').at(-1)).toMatchObject({
          value: expect.anything(),
          failure: { code: 500 },
        });
        s.run(5000);
        expect(s.state(at[system])).toBe('{ready:steady}');
      }
      expect(questions(peer, system)).toHaveLength(7);
    },
  );

  onStage(
    `a ${system} is looked at no longer than its computer, the link and the agent are there`,
    {},
    (s) => {
      const peer = meet(s, system, [never, never, never], true);
      peer.leave();
      s.run(10);
      expect(s.directory.find(at[system])).toBeUndefined();
      peer.join('computer', 'c1');
      s.run(10);
      expect(s.state(at[system])).toBe('connecting');
      s.network.faults.dropLink('a1');
      expect(s.directory.find(at[system])).toBeUndefined();
      s.run(3000);
      expect(s.state(at[system])).toBe('connecting');
      s.close('agent');
      follow(s, system === 'desktop' ? 'finder' : 'desktop');
      s.run(100);
      expect(s.directory.find('agent')).toBeUndefined();
    },
  );

  let tell: Give<LinkFact> = () => {};
  onStage(
    `who tells of a ${system} and was never here is not looked at`,
    {
      mend: (ports) => ({
        ...ports,
        link: (place, input, give) => {
          if (input.role === 'agent') tell = give;
          return ports.link(place, input, give);
        },
      }),
    },
    (s) => {
      meet(s, system, []);
      tell({ type: 'computer.systemChanged', computer: 'elsewhere', system });
      s.run(20);
      expect([...s.directory.roots].map(({ kind }) => kind)).not.toContain(`${system}View`);
    },
  );

  const kind = `${system}View`;
  const broken = (when: (self: string) => boolean) => ({
    ...machines,
    [kind]: (machines[kind] as AnyStateMachine).provide({
      actions: {
        rememberValue: ({ context }: { context: { self: string } }) => {
          if (when(context.self)) throw new Error('bug');
        },
      },
    } as never),
  });
  onStage(
    `the view of a ${system} whose machine breaks is opened again`,
    { kinds: broken((self) => self.endsWith('#3')), failing: `/${kind}:` },
    (s) => {
      meet(s, system, [showing(system, 1), showing(system, 1)], true);
      expect([s.state(at[system]), s.heard('agent', 'system.viewed').length]).toEqual(['{ready:steady}', 1]);
    },
  );
  onStage(
    `the view of a ${system} whose machine breaks again and again is given up, and the host is told`,
    { kinds: broken(() => true), failing: `/${kind}:` },
    (s) => {
      const peer = meet(
        s,
        system,
        Array.from({ length: 9 }, () => showing(system, 1)),
        true,
      );
      s.run(100);
      expect(s.state(at[system])).toBeUndefined();
      expect(s.heard('agent', 'system.viewed')).toMatchObject([
        { computer: 'c1', system, value: null, failure: { code: 'Crashed' } },
      ]);
      expect(questions(peer, system)).toHaveLength(6);
    },
  );

  onStage(
    `a change that a server tells of its ${system} reaches the host of the agent, with what is there by then`,
    { servers: { a: windows('window://a/1'), b: documents('dpe://b/1', 'dpe://b/2') } },
    (s) => {
      s.office();
      s.computer({ linked: true });
      s.agent();
      follow(s, system);
      s.run(3000);
      const count = system === 'desktop' ? 1 : 2;
      expect(heard(s, system).at(-1)).toBe(count);
      const [server, uri] = system === 'desktop' ? ['a', 'window://a/1'] : ['b', 'dpe://b/1'];
      const [told, asked] = [heard(s, system).length, reads(s)];
      s.servers.update(server, uri);
      s.run(1000);
      expect([heard(s, system).length, heard(s, system).at(-1)]).toEqual([told + 1, count]);
      expect(reads(s)).toBe(asked + 1);
      s.servers.kill(server, { code: 1 });
      until(s, () => heard(s, system).at(-1) === 0);
      until(s, () => heard(s, system).at(-1) === count);
    },
  );
}

onStage('a question of the host ends in the time that the host gives it', {}, (s) => {
  meet(s, 'desktop', []);
  const [ticket, method, request] = ['t1', event.desktop, { computer: 'c1' }];
  const asked = s.asked('agent', ticket, {
    ...{ type: 'agent.query', ticket, reqId: 'r1', method, request, replyTo: 'host:agent' },
    timeoutMs: 700,
  });
  s.run(699);
  expect(asked.settled).toEqual([]);
  s.run(1);
  expect(asked.settled).toMatchObject([{ end: 'timedOut' }]);
});
