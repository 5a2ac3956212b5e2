import { nameOf, type Address } from '../machines/address.ts';
import type { DirectoryRecord } from '../machines/trace/index.ts';

/** Something that must not be, at an address. */
export interface Breach {
  readonly law: string;
  /** `liveness`: something that had to come has not come. `safety`: something came that must not. */
  readonly kind: 'safety' | 'liveness';
  readonly at: Address;
  readonly what: string;
}
type Found = Omit<Breach, 'law' | 'kind'> & { readonly kind?: Breach['kind'] };

/**
 * A law over what a directory reported, in order, so that the same code judges scenarios, simulations, replays and
 * living hosts. `end` is asked once, with whether everything had been told to end by then.
 */
interface Judge {
  take(record: DirectoryRecord): Found | undefined;
  end?(isClosed: boolean): readonly Found[];
}
const found = (at: Address, what: string, kind: Breach['kind'] = 'safety'): Found => ({ at, what, kind });

/** Each request with a `replyTo` and a ticket has one answer, and no answer comes unasked. */
function answers(): Judge {
  const open = new Map<string, { at: Address; ticket: string; asked: number; answered: number }>();
  const keyOf = (to: Address, ticket: string): string => `${to} ${ticket}`;
  const entryOf = (at: Address, ticket: string) => {
    const key = keyOf(at, ticket);
    const known = open.get(key) ?? { at, ticket, asked: 0, answered: 0 };
    open.set(key, known);
    return known;
  };
  const requests = new Set(['tool.call', 'agent.call', 'agent.query']);
  return {
    take(record) {
      if (record.k !== 'post') return undefined;
      const { ev, a } = record;
      const { ticket, call, replyTo } = ev as {
        ticket?: string;
        call?: { ticket: string };
        replyTo?: Address;
      };
      const named = ticket ?? call?.ticket;
      if (named === undefined) return undefined;
      if (requests.has(ev.type) && replyTo !== undefined && record.dead === undefined)
        entryOf(replyTo, named).asked += 1;
      if (ev.type !== 'call.settled') return undefined;
      const entry = entryOf(a, named);
      entry.answered += 1;
      if (entry.answered <= entry.asked || entry.asked === 0) return undefined;
      return found(a, `${named} was settled ${entry.answered} times`);
    },
    end: (isClosed) =>
      [...open.values()]
        .filter(({ asked, answered }) => isClosed && answered < asked)
        .map(({ at, ticket, answered }) => found(at, `${ticket} was settled ${answered} times`, 'liveness')),
  };
}

/** Nothing is started anew for a server before what was started before has ended. */
function oneProcess(): Judge {
  const alive = new Map<Address, Address>();
  const ownerOf = (leaf: Address): Address => nameOf(leaf.slice(0, leaf.lastIndexOf('/')));
  return {
    take(record) {
      if (record.k === 'out' && record.port === 'process' && record.ev.type === 'leaf.open') {
        const name = ownerOf(record.a);
        const older = alive.get(name);
        alive.set(name, record.a);
        return older === undefined ? undefined : found(record.a, `was started while ${older} lived`);
      }
      const isEnd =
        (record.k === 'out' && record.ev.type === 'leaf.close') ||
        (record.k === 'in' &&
          (record.ev?.type === 'child.failed' ||
            record.ev?.type === 'group.emptied' ||
            (record.ev?.type === 'child.exited' && (record.ev as { left?: number }).left === 0)));
      if (isEnd && alive.get(ownerOf(record.a)) === record.a) alive.delete(ownerOf(record.a));
      return undefined;
    },
  };
}

/** Closed stdin, SIGTERM, SIGKILL: no step twice, none backwards. */
function ladder(): Judge {
  const rungs = new Map<Address, string>();
  const order = ['', 'child.closeStdin', 'SIGTERM', 'SIGKILL'];
  return {
    take(record) {
      if (record.k !== 'out' || record.port !== 'process') return undefined;
      const { type, signal } = record.ev as { type: string; signal?: string };
      if (type === 'leaf.open' || type === 'leaf.close') return void rungs.delete(record.a);
      const [last, next] = [rungs.get(record.a) ?? '', signal ?? type];
      rungs.set(record.a, next);
      return order.indexOf(next) > order.indexOf(last) ? undefined : found(record.a, `${next} after ${last}`);
    },
  };
}

function roots(): Judge {
  const living = new Set<Address>();
  return {
    take(record) {
      if (record.k === 'open') living.add(record.a);
      if (record.k === 'end') living.delete(record.a);
      return undefined;
    },
    end: (isClosed) => (isClosed ? [...living].map((a) => found(a, `${a} is left`, 'liveness')) : []),
  };
}

const each = (judge: (record: DirectoryRecord) => Found | undefined) => (): Judge => ({ take: judge });

export const recordLaws: Readonly<Record<string, () => Judge>> = {
  'every call is settled exactly once': answers,
  'a server has at most one process': oneProcess,
  'a process goes down the ladder step by step': ladder,
  'no root is left': roots,
  'no machine fails': each((r) =>
    r.k === 'end' && r.why === 'failed' ? found(r.a, `${r.a} failed: ${r.error}`) : undefined,
  ),
  'no defect is reported': each((r) => {
    if (r.k !== 'defect') return undefined;
    return found(r.a, `${r.a}: ${r.what}`, r.what.startsWith('livelock') ? 'liveness' : 'safety');
  }),
  'no message is lost': each((r) =>
    r.k === 'post' && r.dead === 'lost' ? found(r.a, `${r.from} -> ${r.a}: ${r.ev.type}`) : undefined,
  ),
};

/** Every breach of every law, or of one. */
export function judge(
  records: Iterable<DirectoryRecord>,
  isClosed: boolean,
  laws: Readonly<Record<string, () => Judge>> = recordLaws,
): Breach[] {
  const bench = Object.entries(laws).map(([law, open]) => ({ law, judge: open() }));
  const breaches: Breach[] = [];
  const note = (law: string, breach: Found): void =>
    void breaches.push({ law, at: breach.at, what: breach.what, kind: breach.kind ?? 'safety' });
  for (const record of records)
    for (const { law, judge: seat } of bench) {
      const breach = seat.take(record);
      if (breach) note(law, breach);
    }
  for (const { law, judge: seat } of bench)
    for (const breach of seat.end?.(isClosed) ?? []) note(law, breach);
  return breaches;
}
