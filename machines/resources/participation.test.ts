import { expect, it } from 'vitest';
import { takesPart } from './participation.ts';

const [subscribed, plain] = [
  { listChanged: false, subscribe: true },
  { listChanged: true, subscribe: false },
];
it('F15 D16 a server takes part that declares resources.subscribe, or, if so configured, any resources', () => {
  expect([subscribed, plain, null].map((resources) => takesPart(resources))).toEqual([true, false, false]);
  expect([subscribed, plain, null].map((resources) => takesPart(resources, 'resources'))).toEqual([
    ...[true, true],
    false,
  ]);
});
