import fc from 'fast-check';
import { createActor, SimulatedClock, type AnyActor } from 'xstate';
import type { Stepping } from '../../actors/runtime/stepper/stepper.ts';
import { interpreted } from './interpreted.ts';
import { chart, events, type DrawnState } from './drawn-chart.ts';
import { machineOf } from './drawn-machine.ts';
import { differenceOf } from './comparison.ts';
import { lockstepTelling } from './lockstep.ts';

export interface Drawn {
  readonly chart: DrawnState;
  readonly input: number;
  readonly happens: readonly (string | number)[];
}
export const drawn: fc.Arbitrary<Drawn> = fc.record({
  chart,
  input: fc.nat({ max: 9 }),
  happens: fc.array(
    fc.oneof(fc.constantFrom<string | number>(...events, ...events, 'nobody knows it'), fc.nat({ max: 2 })),
    { maxLength: 10, size: 'max' },
  ),
});

function played({ chart: drawnChart, input, happens }: Drawn, stepping: Stepping): unknown[] {
  const lines: unknown[] = [];
  const journal = (what: string, more?: unknown): void => void lines.push([what, more]);
  const machine = stepping(machineOf(drawnChart, input, journal), () => ({
    isStepped: false,
  }));
  const clock = new SimulatedClock();
  const actor: AnyActor = createActor(machine, {
    clock,
    input,
    logger: (...all) => journal('says', all),
  });
  const show = (): void => {
    const { value, context, status, output, error, tags, children } = actor.getSnapshot();
    lines.push({ value, context, status, output, error, tags, children: Object.keys(children ?? {}) });
  };
  actor.on('*', (event) => journal('emits', event));
  actor.subscribe({
    next: show,
    error: (error) => journal('fails', error),
    complete: () => journal('is over'),
  });
  actor.start();
  for (const each of happens) {
    if (typeof each === 'number') clock.increment(each);
    else if (actor.getSnapshot().status === 'active') actor.send({ type: each });
    show();
  }
  actor.stop();
  return lines;
}

export function differenceOnChart(each: Drawn): string | undefined {
  const differences: string[] = [];
  const tell = ({ message }: Error): void => void differences.push(message);
  const ours = played(each, lockstepTelling(tell));
  return differences[0] ?? differenceOf(played(each, interpreted), ours, 'seen from outside');
}
