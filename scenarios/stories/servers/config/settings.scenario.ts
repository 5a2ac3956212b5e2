import { expect } from 'vitest';
import type { FileFound } from '../../../../machines/settings/settings.rules.ts';
import { answer, change, good, settled, story, told, touch, written, wrong } from './settings-stage.ts';

story(
  'a file with a mistake in it leaves in force what was, and is told once',
  { reads: [good('1'), wrong, wrong, good('2')] },
  async (s) => {
    await touch(s);
    await touch(s);
    expect(told(s)).toHaveLength(2);
    await touch(s);
    expect(told(s)).toEqual([
      ['inForce', '1'],
      ['mistaken', '1'],
      ['inForce', '2'],
    ]);
  },
);
story('a file that is touched and is the same is no news', { reads: [good('1')] }, async (s) => {
  await touch(s);
  await touch(s);
  expect(told(s)).toEqual([['inForce', '1']]);
});
story(
  'changes are written one after another, and each is answered',
  { reads: [good('1')], writes: [good('2'), { ...good('2'), isTaken: true } as FileFound, good('3')] },
  async (s) => {
    for (const ticket of ['a', 'b', 'c']) change(s, ticket);
    await s.run(1);
    expect(settled(s)).toEqual([
      ['a', false, null],
      ['b', true, null],
      ['c', false, null],
    ]);
    expect(written).toHaveLength(3);
    expect(told(s).map((each) => (each as string[])[1])).toEqual(['1', '2', '3']);
  },
);
story(
  'our own write is no news of somebody else',
  { reads: [good('1'), good('2')], writes: [good('2')] },
  async (s) => {
    change(s, 'a');
    await touch(s);
    expect(told(s)).toEqual([
      ['inForce', '1'],
      ['inForce', '2'],
    ]);
  },
);
story(
  'a file with mistakes is not written over: the change is refused',
  { reads: [wrong], writes: [good('2')] },
  async (s) => {
    change(s, 'a');
    await s.run(1);
    expect(settled(s)).toEqual([['a', false, 'ConfigInvalid']]);
    expect(written).toEqual([]);
  },
);
story(
  'a file of a later version is read and never written',
  { reads: [good('1', { a2c: { version: 99 } })], writes: [good('2')] },
  async (s) => {
    change(s, 'a');
    await s.run(1);
    expect(settled(s)).toEqual([['a', false, 'ConfigInvalid']]);
    expect(written).toEqual([]);
    expect(told(s)).toEqual([['inForce', undefined]]);
  },
);
story(
  'a write that is refused fails one change; the file is looked at, and the next is tried',
  { reads: [good('1')], writes: ['refused', good('2')] },
  async (s) => {
    change(s, 'a');
    change(s, 'b');
    await s.run(1);
    expect(settled(s)).toEqual([
      ['a', false, 500],
      ['b', false, null],
    ]);
  },
);
story(
  'a write that finds mistakes refuses all that wait, and nothing is in force again',
  { reads: [good('1')], writes: [wrong] },
  async (s) => {
    change(s, 'a');
    change(s, 'b');
    await s.run(1);
    expect(settled(s)).toEqual([
      ['a', false, 'ConfigInvalid'],
      ['b', false, 'ConfigInvalid'],
    ]);
    expect(told(s)).toEqual([
      ['inForce', '1'],
      ['mistaken', '1'],
    ]);
  },
);
story(
  'a write that never ends fails its change in time',
  { reads: [good('1')], writes: ['never', good('2')] },
  async (s) => {
    change(s, 'a');
    change(s, 'b');
    await touch(s);
    await s.run(74_000);
    expect(settled(s)).toEqual([]);
    await s.run(2_000);
    expect(settled(s)).toEqual([
      ['a', false, 408],
      ['b', false, null],
    ]);
  },
);
story(
  'what is wanted while the file is touched in a write is written after a fresh look',
  { reads: [good('1'), good('3')], writes: ['never'] },
  async (s) => {
    change(s, 'a');
    await touch(s);
    await s.run(76_000);
    expect(told(s)).toEqual([
      ['inForce', '1'],
      ['inForce', '3'],
    ]);
  },
);
story(
  'a file that cannot be read is mistaken, and is read when it is touched',
  { reads: ['refused', good('1')] },
  async (s) => {
    expect(told(s)).toEqual([['mistaken', undefined]]);
    await touch(s);
    expect(told(s)).toEqual([
      ['mistaken', undefined],
      ['inForce', '1'],
    ]);
  },
);
story(
  'a file that could not be read for a moment is in force again, though its text is the old one',
  { reads: [good('1'), 'refused', good('1')] },
  async (s) => {
    await touch(s);
    await touch(s);
    expect(told(s)).toEqual([
      ['inForce', '1'],
      ['mistaken', '1'],
      ['inForce', '1'],
    ]);
  },
);
story(
  'a read that never ends is given up, and begun again when the file is touched',
  { reads: ['never', 'never', good('1')] },
  async (s) => {
    await touch(s);
    change(s, 'a');
    await s.run(11_000);
    expect(told(s)).toEqual([['mistaken', undefined]]);
    expect(settled(s)).toEqual([['a', false, 'ConfigInvalid']]);
    await touch(s);
    expect(told(s)).toEqual([
      ['mistaken', undefined],
      ['inForce', '1'],
    ]);
  },
);
story('an end answers every change that waits', { reads: ['never'] }, async (s) => {
  change(s, 'a');
  s.close('settings');
  await s.run(1);
  expect(settled(s)).toEqual([['a', false, 'Closed']]);
});
story('an end in a write answers every change', { reads: [good('1')], writes: ['never'] }, async (s) => {
  change(s, 'a');
  change(s, 'b');
  s.close('settings');
  await s.run(1);
  expect(settled(s)).toEqual([
    ['a', false, 'Closed'],
    ['b', false, 'Closed'],
  ]);
});
story(
  'a file that is touched in the midst of a write is looked at when it is written',
  { reads: [good('1'), good('3')], writes: [{ later: good('2') }] },
  async (s) => {
    change(s, 'a');
    await touch(s);
    answer();
    await s.run(1);
    expect(told(s).at(-1)).toEqual(['inForce', '3']);
  },
);
story(
  'a file that is touched in the midst of a write is looked at when that has found mistakes',
  { reads: [good('1'), wrong], writes: [{ later: wrong }] },
  async (s) => {
    change(s, 'a');
    await touch(s);
    answer();
    await s.run(1);
    expect(settled(s)).toEqual([['a', false, 'ConfigInvalid']]);
    expect(told(s).at(-1)).toEqual(['mistaken', '1']);
  },
);
