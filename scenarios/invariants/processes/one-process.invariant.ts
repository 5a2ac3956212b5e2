import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { isOver } from './child.ts';
import type { Judge, Invariant } from '../invariant.ts';
import { hears, story, tells } from '../record-builders.ts';

/** `c/client:fs#1/process` of the port instance `c/client:fs#1/process#2/process#1`. */
const processOf = (instance: Address): Address => nameOf(instance.slice(0, instance.lastIndexOf('/')));

function open(): Judge {
  /** The child that lives there now. */
  const alive = new Map<Address, Address>();
  return {
    take(record) {
      if (record.k === 'out' && record.port === 'process' && record.ev.type === 'leaf.open') {
        const name = processOf(record.a);
        const older = alive.get(name);
        alive.set(name, record.a);
        return older === undefined ? undefined : { at: record.a, what: `was started while ${older} lived` };
      }
      if (isOver(record) && alive.get(processOf(record.a)) === record.a) alive.delete(processOf(record.a));
      return undefined;
    },
  };
}

const [first, second] = ['c/client:fs#1/process#1/process#1', 'c/client:fs#1/process#2/process#1'];
const starts = (instance: Address) => tells('process', instance, 'leaf.open');
const exits = (instance: Address, left = 0) => hears(instance, 'child.exited', { left });

export const oneProcess: Invariant = {
  invariant: 'a server has at most one process',
  why: 'Nothing is started anew for a server before what was started before has ended (one-per-server).',
  sees: ['in child.exited', 'in child.failed', 'in group.emptied', 'out leaf.open', 'out leaf.close'],
  open,
  violating: [
    {
      how: 'a client that does not wait for the end of the old one',
      seen: story(starts(first), starts(second)),
      said: `was started while ${first} lived`,
    },
    {
      how: 'a client that waits for the leader and not for its group',
      seen: story(starts(first), exits(first, 1), starts(second)),
      said: `was started while ${first} lived`,
    },
  ],
  passing: [
    { how: 'one after the other', seen: story(starts(first), exits(first), starts(second)) },
    {
      how: 'one that never ran, and one that was given up',
      seen: story(
        ...[starts(first), hears(first, 'child.failed'), starts(second)],
        ...[tells('process', second, 'leaf.close'), starts('c/client:fs#1/process#3/process#1')],
      ),
    },
    { how: 'two servers', seen: story(starts(first), starts('c/client:git#2/process#1/process#1')) },
  ],
};
