import { expect } from 'vitest';
import {
  document,
  heard,
  meet,
  questions,
  showing,
  update,
  type Ack,
  type Answer,
} from '../../stage/following.ts';
import { scenario } from '../../stage/plan/index.ts';
import type { Peer } from '../../stage/scripted/network/network.ts';

const offsets = (peer: Peer): number[] => questions(peer, 'finder').map(({ offset = 0 }) => offset);
const many = (...counts: readonly number[]): Answer[] => counts.map((count) => showing('finder', count));

scenario('a Finder is followed in pages of a hundred, again from the first page', {}, async (s) => {
  const peer = await meet(s, 'finder', many(250, 250, 250, 101, 101), true);
  expect(heard(s)).toEqual([250]);
  expect(offsets(peer)).toEqual([0, 100, 200]);
  expect(questions(peer, 'finder').map(({ limit }) => limit)).toEqual([100, 100, 100]);
  update(peer, 'finder');
  await s.run(100);
  expect(heard(s)).toEqual([250, 101]);
  expect(offsets(peer).slice(3)).toEqual([0, 100]);
});

const timed = { timing: { queryMs: 1000, agentMarginMs: 500 } };
scenario('each page of a Finder has the whole time of a question, also followed again', timed, async (s) => {
  const late: (() => void)[] = [];
  const slowly = many(250, 250, 250, 250, 250, 250).map(
    (page): Answer =>
      (question, ack) =>
        late.push(() => page(question, ack)),
  );
  const peer = await meet(s, 'finder', slowly, true);
  const answerAll = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      await s.run(1_300);
      late.shift()?.();
      await s.run(10);
    }
  };
  await answerAll();
  expect(heard(s)).toEqual([250]);
  update(peer, 'finder');
  await s.run(10);
  await answerAll();
  expect(offsets(peer)).toEqual([0, 100, 200, 0, 100, 200]);
  expect(heard(s)).toEqual([250, 250]);
});

scenario('a thousand documents are followed, and it is said how many are left out', {}, async (s) => {
  const peer = await meet(
    s,
    'finder',
    Array.from({ length: 11 }, () => showing('finder', 1234, { missing: [{ server: 'x', reason: 'late' }] })),
    true,
  );
  expect(offsets(peer)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
  const { value } = s.heard('agent', 'view.collectionChanged')[0] as never as {
    value: Record<string, unknown[]>;
  };
  expect(value['documents']).toHaveLength(1000);
  expect(value['total_count']).toBe(1234);
  expect(value['left_out']).toBe(234);
  expect(value['missing']).toEqual([{ server: 'x', reason: 'late' }]);
});

scenario('a computer with small pages is asked ten times, one without any once more', {}, async (s) => {
  const small: Answer = ({ req_id, offset = 0 }, ack) =>
    ack({ documents: [document(offset)], total_count: 500, req_id });
  const none: Answer = ({ req_id }, ack) => ack({ documents: [], total_count: 500, req_id });
  const peer = await meet(s, 'finder', [...Array.from({ length: 10 }, () => small), small, none], true);
  expect(heard(s)).toEqual([10]);
  expect(offsets(peer)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  update(peer, 'finder');
  await s.run(100);
  expect(heard(s)).toEqual([10, 1]);
  expect(offsets(peer).slice(10)).toEqual([0, 1]);
  expect(s.heard('agent', 'view.collectionChanged').at(-1)?.value.left_out).toBe(499);
});

scenario('a notice between two pages begins again, the first time and every other time', {}, async (s) => {
  const tellers: Peer[] = [];
  const telling: Answer = (question, ack) => {
    for (const teller of tellers) update(teller, 'finder');
    s.clock.setTimeout(() => showing('finder', 150)(question, ack), 5);
  };
  const [page] = many(150) as [Answer];
  const peer = await meet(s, 'finder', [page, page, page, telling, page, page], true);
  expect(heard(s)).toEqual([150]);
  tellers.push(peer);
  update(peer, 'finder');
  await s.run(100);
  expect(heard(s)).toEqual([150, 150]);
  expect(offsets(peer)).toEqual([0, 100, 0, 100, 0, 100]);
  peer.leave();
  await s.run(5);
});

scenario('a notice between the first two pages that anybody asked for begins again', {}, async (s) => {
  const late: Ack[] = [];
  const [page] = many(150) as [Answer];
  const peer = await meet(s, 'finder', [page, (_, ack) => late.push(ack), page, page], true);
  expect(offsets(peer)).toEqual([0, 100]);
  update(peer, 'finder');
  await s.run(100);
  expect(heard(s)).toEqual([150]);
  expect(offsets(peer)).toEqual([0, 100, 0, 100]);
  expect(late).toHaveLength(1);
});
