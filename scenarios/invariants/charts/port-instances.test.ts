/** No chart catches what a port throws: the machine fails as a whole, and its owner hears `owned.ended`. */
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { nodesOf } from '../../../actors/runtime/charts.ts';
import { machines } from '../../../actors/kinds/all.ts';
import { nameOf } from '../../../machines/kernel/effects.ts';
import { portNameOf } from '../../../machines/kernel/ports.ts';
import type { PortInstance } from '../../../machines/kernel/ports.ts';
import type { DirectoryRecord } from '../../../machines/trace/record.ts';
import { violations } from '../invariants.ts';
import { Harness } from '../../stage/harness.ts';
import { everybody } from '../../stage/watching.ts';
import type { StagePorts } from '../../stage/ports.ts';

type Port = Exclude<keyof StagePorts, 'request'>;
type Opening = (at: string, input: never, emit: never) => PortInstance;
/** Null for a session, which gets no commands. */
const commanded: Readonly<Record<string, ((s: Harness) => void) | null>> = {
  process: (s) => s.order('computer', { type: 'server.stop', server: 'fs' }),
  session: null,
  link: () => {},
  office: () => {},
};
const throwing =
  (port: Port, over: 'opening' | 'command') =>
  (ports: StagePorts): StagePorts => {
    let isFirst = true;
    const open: Opening = ports[port];
    const opened: Opening = (at, input, emit) => {
      if (!isFirst) return open(at, input, emit);
      isFirst = false;
      if (over === 'opening') throw new Error('no more handles');
      const instance = open(at, input, emit);
      const tell = (): never => {
        throw new Error('its other side is gone');
      };
      return { tell, close: () => instance.close() };
    };
    return { ...ports, [port]: opened };
  };
const begun = async (port: Port, over: 'opening' | 'command') => {
  const records: DirectoryRecord[] = [];
  const s = new Harness({
    servers: { fs: { tools: { read: { answers: { content: [] } } } } },
    mend: throwing(port, over),
    observer: () => ({ record: (record) => records.push(record) }),
  });
  await everybody(s);
  commanded[port]?.(s);
  await s.run(100);
  return { s, records };
};
type Ended = Extract<DirectoryRecord, { k: 'end' }>;
const kindOf = (address: string): string => nameOf(address).split('/').at(-1)?.split(':')[0] ?? '';

const invokesOf = (machine: AnyStateMachine) =>
  nodesOf(machine.root).flatMap(({ invoke }) =>
    invoke.map(({ id, src }) => {
      const name = typeof src === 'string' ? src : id;
      return {
        machine: machine.id,
        id,
        src: name,
        isPort: portNameOf(machine.implementations.actors[name]) === name,
      };
    }),
  );
const invokes = Object.values(machines).flatMap(invokesOf);

test('every invoked port is known here, and so is whether it is given commands', () => {
  expect(Object.keys(commanded).toSorted()).toEqual(invokes.map(({ src }) => src).toSorted());
  expect(invokes.filter(({ isPort }) => !isPort)).toEqual([]);
});

describe.each(['opening', 'command'] as const)('a port that throws over its %s', (over) => {
  const cases = invokes.filter(({ src }) => over === 'opening' || commanded[src]);
  test.each(cases)('$id of $machine: its machine fails, its owner hears, nothing is left', async (invoke) => {
    const { s, records } = await begun(invoke.src as Port, over);
    const ends = records.filter((r): r is Ended => r.k === 'end' && kindOf(r.a) === invoke.machine);
    expect(ends[0]).toMatchObject({ why: 'failed' });
    const failed = ends[0]?.a ?? '';

    const told = records.filter((r) => r.k === 'post' && r.from === failed && r.ev.type === 'owned.ended');
    expect(told).toMatchObject([{ ev: { kind: invoke.machine, why: 'failed' } }]);
    expect(told[0], 'nobody was there to hear it').not.toHaveProperty('dead');

    const instance = (type: string): number =>
      records.filter((r) => r.k === 'out' && r.a.startsWith(`${failed}/`) && r.ev.type === type).length;
    expect([instance('leaf.open'), instance('leaf.close')]).toEqual([1, 1]);

    s.close();
    await s.run(30_000);
    expect(violations(s, { failing: failed })).toEqual([]);
  });
});
