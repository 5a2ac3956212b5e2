/** Scenarios of the npm registry for child processes: the fastest usable one, with a limit on the wait. */
import { expect } from 'vitest';
import type { Harness } from '../../../stage/harness.ts';
import { scenario } from '../../../stage/plan/index.ts';
import type { RegistryAct, ScriptedRegistries } from '../../../stage/scripted/host-ports.ts';

const list = ['https://one/', 'https://two/', 'https://three/'];
const [one, two, three] = list as [string, string, string];
const hourMs = 3_600_000;
const input = { limitMs: 3_000, keepMs: 24 * hourMs, retryMs: 60_000, known: null };
interface World {
  readonly s: Harness;
  readonly registries: ScriptedRegistries;
  want(ticket: string, of?: readonly string[]): void;
  /** Returns ticket, registry and whether it was the fastest, in the order of the answers. */
  chosen(): unknown[];
}
const story = (
  what: string,
  acts: Readonly<Record<string, RegistryAct>>,
  play: (world: World) => Promise<void>,
  given: object = input,
): void =>
  scenario(what, {}, (s) => {
    const { registries } = s.callPorts;
    for (const [registry, act] of Object.entries(acts)) registries.acts.set(registry, act);
    s.start('registry', given);
    return play({
      s,
      registries,
      want: (ticket, of = list) => s.order('registry', { type: 'registry.want', ticket, list: of }),
      chosen: () =>
        s.heard('registry', 'registry.chosen').map((e) => [e['ticket'], e['registry'], e['isFastest']]),
    });
  });
const usable = (ms: number): RegistryAct => ({ ms, isUsable: true });
const refusing = (ms: number): RegistryAct => ({ ms, isUsable: false });

story(
  'the first of three registries that answers is taken, and the others are aborted',
  { [one]: usable(300), [two]: usable(100), [three]: usable(200) },
  async ({ s, want, chosen, registries }) => {
    want('a');
    await s.run(99);
    expect(chosen()).toEqual([]);
    await s.run(1);
    expect(chosen()).toEqual([['a', two, true]]);
    expect(registries.probed).toEqual(list);
    expect(registries.aborted).toEqual([one, three]);
  },
);
story(
  'a registry that answers with an error is none, however fast it is',
  { [one]: usable(500), [two]: refusing(10), [three]: 'fails' },
  async ({ s, want, chosen }) => {
    want('a');
    await s.run(500);
    expect(chosen()).toEqual([['a', one, true]]);
  },
);
story(
  'the first of the list is taken when none answers in time, and the probes are aborted',
  {},
  async ({ s, want, chosen, registries }) => {
    want('a');
    await s.run(1_000);
    want('b');
    await s.run(1_999);
    expect(chosen()).toEqual([]);
    await s.run(1);
    expect(chosen()).toEqual([
      ['a', one, false],
      ['b', one, false],
    ]);
    expect(registries.aborted).toEqual(list);
  },
);
story(
  'the first of the list is taken at once when none can be used; soon it is tried again',
  { [one]: refusing(10), [two]: 'fails', [three]: refusing(20) },
  async ({ s, want, chosen, registries }) => {
    want('a');
    await s.run(20);
    want('b');
    expect(chosen()).toEqual([
      ['a', one, false],
      ['b', one, false],
    ]);
    await s.run(60_000);
    registries.acts.set(two, usable(10));
    want('c');
    await s.run(10);
    expect(chosen().slice(2)).toEqual([['c', two, true]]);
  },
);
story(
  'what is known is used for 24 hours from when it was found, however often it is asked for',
  { [one]: 'hangs', [two]: usable(10) },
  async ({ s, want, chosen, registries }) => {
    want('a');
    await s.run(10);
    await s.run(23 * hourMs);
    want('b');
    expect(chosen()).toHaveLength(2);
    expect(registries.probed).toHaveLength(3);
    await s.run(2 * hourMs);
    registries.acts.set(one, usable(5));
    want('c');
    await s.run(5);
    expect(chosen().slice(2)).toEqual([['c', one, true]]);
    expect(registries.probed).toHaveLength(6);
  },
);
story(
  'what an earlier run has found is used for the rest of its time',
  { [one]: usable(10) },
  async ({ s, want, chosen, registries }) => {
    want('a');
    expect(chosen()).toEqual([['a', three, true]]);
    expect(registries.probed).toEqual([]);
    await s.run(hourMs);
    want('b');
    await s.run(10);
    expect(chosen().slice(1)).toEqual([['b', one, true]]);
  },
  { ...input, known: { list, registry: three, forMs: hourMs } },
);
story(
  'another list is probed by itself; who waits for the first one hears of that first',
  { [one]: usable(100), [two]: usable(50), [three]: usable(10) },
  async ({ s, want, chosen }) => {
    want('a', [one]);
    want('b', [two, three]);
    want('c', [one]);
    await s.run(100);
    expect(chosen()).toEqual([
      ['a', one, true],
      ['c', one, true],
    ]);
    await s.run(10);
    expect(chosen().slice(2)).toEqual([['b', three, true]]);
    want('d', [two]);
    await s.run(50);
    expect(chosen().slice(3)).toEqual([['d', two, true]]);
  },
);
story('a registry that is alone and fails is taken', { [one]: 'fails' }, async ({ s, want, chosen }) => {
  want('a', [one]);
  await s.run(0);
  expect(chosen()).toEqual([['a', one, false]]);
});
story(
  'a caller that still waits at the end has the first of the list',
  {},
  async ({ s, want, chosen, registries }) => {
    want('a');
    want('b', [three]);
    s.order('registry', { type: 'close' });
    await s.run(1);
    expect(chosen()).toEqual([
      ['a', one, false],
      ['b', three, false],
    ]);
    expect(registries.aborted).toEqual(list);
  },
);
