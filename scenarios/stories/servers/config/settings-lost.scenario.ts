import { expect } from 'vitest';
import {
  answer,
  change,
  emptied,
  good,
  none,
  settled,
  story,
  told,
  touch,
  written,
} from './settings-stage.ts';

for (const [what, lost, state] of [
  ['deleted', none, 'lost'],
  ['emptied', emptied, 'mistaken'],
] as const) {
  story(
    `a file that is ${what} leaves in force what was; the next change writes that, and the change`,
    { reads: [good('1'), lost], writes: [good('2'), good('3')] },
    async (s) => {
      await touch(s);
      change(s, 'a');
      await s.run(1);
      change(s, 'b');
      await s.run(1);
      expect(told(s)).toEqual([
        ['inForce', '1'],
        [state, '1'],
        ['inForce', '2'],
        ['inForce', '3'],
      ]);
      expect(settled(s)).toEqual([
        ['a', false, null],
        ['b', false, null],
      ]);
      expect(written).toMatchObject([{ restores: true }, { restores: false }]);
    },
  );
  story(
    `a file that is found ${what} by a change gets what was in force, and that change`,
    { reads: [good('1')], writes: [lost, good('2')] },
    async (s) => {
      change(s, 'a');
      await s.run(1);
      expect(told(s)).toEqual([
        ['inForce', '1'],
        [state, '1'],
        ['inForce', '2'],
      ]);
      expect(settled(s)).toMatchObject([['a', false, null]]);
      expect(written).toMatchObject([{ restores: false }, { restores: true }]);
    },
  );
}
story(
  'a file that is touched while it is found empty is read before it is written',
  { reads: [good('1'), good('3')], writes: [{ later: emptied }, good('4')] },
  async (s) => {
    change(s, 'a');
    await touch(s);
    answer();
    await s.run(1);
    expect(told(s).map((each) => (each as string[])[1])).toEqual(['1', '1', '3', '4']);
  },
);
story('a lost file that is there again is read', { reads: [none, good('1')] }, async (s) => {
  await touch(s);
  expect(told(s)).toEqual([
    ['lost', undefined],
    ['inForce', '1'],
  ]);
});
