import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { isOver } from './child.ts';
import type { Judge, Law } from '../law.ts';
import { hears, story, tells } from '../telling.ts';

/** `c/client:fs#1/process` of the leaf `c/client:fs#1/process#2/process#1`. */
const processOf = (leaf: Address): Address => nameOf(leaf.slice(0, leaf.lastIndexOf('/')));

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
const starts = (leaf: Address) => tells('process', leaf, 'leaf.open');
const exits = (leaf: Address, left = 0) => hears(leaf, 'child.exited', { left });

export const oneProcess: Law = {
  law: 'a server has at most one process',
  why: 'Nothing is started anew for a server before what was started before has ended (one-per-server).',
  sees: ['in child.exited', 'in child.failed', 'in group.emptied', 'out leaf.open', 'out leaf.close'],
  open,
  crimes: [
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
  lawful: [
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
