import { expect, it } from 'vitest';
import { remembered } from './remembered.ts';

it('what is worked out for an object is worked out once, for another one that is equal anew', () => {
  const asked: object[] = [];
  const sizeOf = remembered((list: readonly number[]) => {
    asked.push(list);
    return list.length;
  });
  const [one, equal] = [
    [1, 2],
    [1, 2],
  ];
  expect([sizeOf(one), sizeOf(one), sizeOf(equal)]).toEqual([2, 2, 2]);
  expect(asked).toEqual([one, equal]);
});

it('an answer of nothing is an answer, too', () => {
  let times = 0;
  const nothing = remembered((_: object) => void (times += 1));
  const key = {};
  expect([nothing(key), nothing(key), times]).toEqual([undefined, undefined, 1]);
});
