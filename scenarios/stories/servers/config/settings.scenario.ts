import type { FileFound } from '../../../../machines/settings/settings.rules.ts';
import { emptied, good, none, story, wrong } from './settings-stage.ts';

story(
  'a file with a mistake in it leaves in force what was, and is told once',
  { reads: [good('1'), wrong, wrong, good('2')] },
  [['touch', 'touch'], { told: ['inForce 1', 'mistaken 1'] }],
  [['touch'], { told: ['inForce 1', 'mistaken 1', 'inForce 2'] }],
);
story('a file that is touched and is the same is no news', { reads: [good('1')] }, [
  ['touch', 'touch'],
  { told: ['inForce 1'] },
]);
story(
  'changes are written one after another, and each is answered',
  { reads: [good('1')], writes: [good('2'), { ...good('2'), isTaken: true } as FileFound, good('3')] },
  [
    ['a', 'b', 'c'],
    {
      settled: ['a', 'b taken', 'c'],
      told: ['inForce 1', 'inForce 2', 'inForce 3'],
      restores: [false, false, false],
    },
  ],
);
story('our own write is no news of somebody else', { reads: [good('1'), good('2')], writes: [good('2')] }, [
  ['a', 'touch'],
  { told: ['inForce 1', 'inForce 2'] },
]);
story(
  'a file with mistakes is not written over: the change is refused',
  { reads: [wrong], writes: [good('2')] },
  [['a'], { settled: ['a ConfigInvalid'], restores: [] }],
);
story(
  'a file of a later version is read and never written',
  { reads: [good('1', { a2c: { version: 99 } })], writes: [good('2')] },
  [['a'], { settled: ['a ConfigInvalid'], restores: [], told: ['inForce'] }],
);
story(
  'a write that is refused fails one change; the file is looked at, and the next is tried',
  { reads: [good('1')], writes: ['refused', good('2')] },
  [['a', 'b'], { settled: ['a 500', 'b'] }],
);
story(
  'a write that finds mistakes refuses all that wait, and nothing is in force again',
  { reads: [good('1')], writes: [wrong] },
  [
    ['a', 'b'],
    {
      settled: ['a ConfigInvalid', 'b ConfigInvalid'],
      told: ['inForce 1', 'mistaken 1'],
    },
  ],
);
story(
  'a write that never ends fails its change in time',
  { reads: [good('1')], writes: ['never', good('2')] },
  [['a', 'b', 'touch', 74_000], { settled: [] }],
  [[2_000], { settled: ['a 408', 'b'] }],
);
story(
  'what is wanted while the file is touched in a write is written after a fresh look',
  { reads: [good('1'), good('3')], writes: ['never'] },
  [['a', 'touch', 76_000], { told: ['inForce 1', 'inForce 3'] }],
);
story(
  'a file that cannot be read is mistaken, and is read when it is touched',
  { reads: ['refused', good('1')] },
  [[], { told: ['mistaken'] }],
  [['touch'], { told: ['mistaken', 'inForce 1'] }],
);
story(
  'a file that could not be read for a moment is in force again, though its text is the old one',
  { reads: [good('1'), 'refused', good('1')] },
  [['touch', 'touch'], { told: ['inForce 1', 'mistaken 1', 'inForce 1'] }],
);
story(
  'a read that never ends is given up, and begun again when the file is touched',
  { reads: ['never', 'never', good('1')] },
  [['touch', 'a', 11_000], { told: ['mistaken'], settled: ['a ConfigInvalid'] }],
  [['touch'], { told: ['mistaken', 'inForce 1'] }],
);
story('an end answers every change that waits', { reads: ['never'] }, [
  ['a', 'close'],
  { settled: ['a Closed'] },
]);
story('an end in a write answers every change', { reads: [good('1')], writes: ['never'] }, [
  ['a', 'b', 'close'],
  { settled: ['a Closed', 'b Closed'] },
]);
story(
  'a file that is touched in the midst of a write is looked at when it is written',
  { reads: [good('1'), good('3')], writes: [{ later: good('2') }] },
  [['a', 'touch', 'answer'], { told: ['inForce 1', 'inForce 2', 'inForce 3'] }],
);
story(
  'a file that is touched in the midst of a write is looked at when that has found mistakes',
  { reads: [good('1'), wrong], writes: [{ later: wrong }] },
  [['a', 'touch', 'answer'], { settled: ['a ConfigInvalid'], told: ['inForce 1', 'mistaken 1'] }],
);

for (const [what, lost, state] of [
  ['deleted', none, 'lost'],
  ['emptied', emptied, 'mistaken'],
] as const) {
  story(
    `a file that is ${what} leaves in force what was; the next change writes that, and the change`,
    { reads: [good('1'), lost], writes: [good('2'), good('3')] },
    [
      ['touch', 'a', 1, 'b'],
      {
        told: ['inForce 1', `${state} 1`, 'inForce 2', 'inForce 3'],
        settled: ['a', 'b'],
        restores: [true, false],
      },
    ],
  );
  story(
    `a file that is found ${what} by a change gets what was in force, and that change`,
    { reads: [good('1')], writes: [lost, good('2')] },
    [['a'], { told: ['inForce 1', `${state} 1`, 'inForce 2'], settled: ['a'], restores: [false, true] }],
  );
}
story(
  'a file that is touched while it is found empty is read before it is written',
  { reads: [good('1'), good('3')], writes: [{ later: emptied }, good('4')] },
  [['a', 'touch', 'answer'], { told: ['inForce 1', 'mistaken 1', 'inForce 3', 'inForce 4'] }],
);
story('a lost file that is there again is read', { reads: [none, good('1')] }, [
  ['touch'],
  { told: ['lost', 'inForce 1'] },
]);
