import type { Contender } from './rows/chain.ts';
import type { Endured } from './rows/endurance.ts';
import type { Row } from './measure.ts';
import { inputsAtATime } from './rows/recording.ts';
import type { Stood } from './rows/standing.ts';
import type { Weighed } from './rows/weight.ts';

/** What we want to stay under, or over; the figures and why they are these stand in docs/. */
export interface Aim {
  readonly what: string;
  readonly limit: number;
  readonly best: 'low' | 'high';
}
export interface Judged extends Aim {
  readonly value: number;
}
interface Measured extends Aim {
  /** Nothing when its chain did not run. */
  of(
    rows: readonly Row[],
    weights: readonly Weighed[],
    stood: readonly Stood[],
    endured: readonly Endured[],
  ): number[];
}
type Group = Contender['group'];

/** Ours and the yardstick of the group. */
function pair(rows: readonly Row[], group: Group, inFlight: number): [ours: Row, yardstick: Row] | undefined {
  const [yardstick, ours] = rows.filter((row) => row.group === group && row.inFlight === inFlight);
  return ours && yardstick && [ours, yardstick];
}
const of =
  (group: Group, inFlight: number, value: (ours: Row, yardstick: Row) => number) =>
  (rows: readonly Row[]): number[] => {
    const both = pair(rows, group, inFlight);
    return both ? [value(...both)] : [];
  };
/** Ours and the yardstick of a group in which servers stand inside the host. */
const standing =
  (group: Group, value: (ours: Stood, yardstick: Stood) => number | undefined) =>
  (_rows: readonly Row[], _weights: readonly Weighed[], stood: readonly Stood[]): number[] => {
    const [yardstick, ours] = stood.filter((each) => each.group === group);
    const found = ours && yardstick && value(ours, yardstick);
    return found === undefined ? [] : [found];
  };
const ratio = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a / b;
const cpuRatio = (a: Row, b: Row): number => a.cpuUs / b.cpuUs;
const cpuMore = (a: Row, b: Row): number => a.cpuUs - b.cpuUs;

/** Missed today: half of a call is XState's interpreter and what that allocates (DECISIONS.md). */
const callCost = (inFlight: number): Measured => ({
  what: `calls: CPU × of the bare SDK client, ${inFlight.toLocaleString('en')} in flight`,
  limit: 5,
  best: 'low',
  of: of('calls', inFlight, cpuRatio),
});

export const aims: readonly Measured[] = [
  {
    what: 'relay: CPU ×, 64 in flight, all limits on',
    limit: 1.1,
    best: 'low',
    of: of('relay alone', 64, cpuRatio),
  },
  callCost(1),
  callCost(64),
  callCost(1_000),
  {
    what: 'calls: the same at 1,000 in flight ÷ at 1',
    limit: 1.2,
    best: 'low',
    of: (rows) => {
      const [few, many] = [1, 1_000].map((n) => pair(rows, 'calls', n));
      return few && many ? [cpuMore(...many) / cpuMore(...few)] : [];
    },
  },
  {
    what: 'calls: MB of heap more after many in a row (100,000; --quick: 10,000)',
    limit: 10,
    best: 'low',
    of: (_rows, _weights, _stood, endured) =>
      endured.filter(({ name }) => name === 'ours').map((each) => each.grownBytes / 1024 ** 2),
  },
  {
    what: 'listing: ms of CPU, 5,000 tools of 100 servers',
    limit: 5,
    best: 'low',
    of: of('listing', 1, (ours) => ours.cpuUs / 1_000),
  },
  {
    what: 'directory: CPU at 1,000 in flight ÷ at 1',
    limit: 1.5,
    best: 'low',
    of: (rows) => {
      const [few, many] = [1, 1_000].map((n) => pair(rows, 'directory alone', n)?.[0]);
      return few && many ? [cpuRatio(many, few)] : [];
    },
  },
  {
    what: 'directory: KB of heap per call in flight',
    limit: 10,
    best: 'low',
    of: (_, weights) => weights.filter(({ name }) => name === 'ours').map((each) => each.heldBytes / 1024),
  },
  {
    what: 'recorder: CPU × of a bare SDK call, what one call tells it and its messages',
    limit: 0.15,
    best: 'low',
    of: of('recorder of calls', 1, cpuRatio),
  },
  {
    what: 'recorder: µs per input, nothing but the boundary kept',
    limit: 3,
    best: 'low',
    of: of('recorder alone', 1, (ours, nobody) => cpuMore(ours, nobody) / inputsAtATime),
  },
  {
    what: 'inspector: CPU of a host with a page × without, 1,000 records a second',
    limit: 1.1,
    best: 'low',
    of: of('watched', 1, cpuRatio),
  },
  {
    what: 'full chain: calls/s × of the chain written by hand, 64 in flight',
    limit: 0.45,
    best: 'high',
    of: of('full chain', 64, (ours, byHand) => ours.perSecond / byHand.perSecond),
  },
  {
    what: 'simulation: busy minutes a second, 4 servers, 240 calls each, one core',
    limit: 100,
    best: 'high',
    of: of('simulation', 1, (ours) => ours.perSecond),
  },
  {
    what: 'organise: 10,000 windows, CPU × of a bare sort',
    limit: 3,
    best: 'low',
    of: of('organise desktop', 1, cpuRatio),
  },
  {
    what: 'organise: a page of 100,000 documents, CPU × of a bare sort',
    limit: 3,
    best: 'low',
    of: of('organise finder', 1, cpuRatio),
  },
  {
    what: 'warm finder: ms p50 for a page, 50 servers with 200 documents each, no request to any',
    limit: 20,
    best: 'low',
    of: of('warm finder', 1, (ours) => ours.p50Ms),
  },
  {
    what: 'first collection: 4,000 windows of one server × twice that of 2,000',
    limit: 1.1,
    best: 'low',
    of: of('first collection', 1, cpuRatio),
  },
  {
    what: 'documents: 10,000 files listed, CPU × of readdir and lstat',
    limit: 2,
    best: 'low',
    of: of('documents: list', 1, cpuRatio),
  },
  {
    what: 'documents: first page of a PDF of 500, CPU × of the parser alone',
    limit: 2,
    best: 'low',
    of: of('documents: page', 1, cpuRatio),
  },
  {
    what: 'documents: ms p50 for a word in 10,000 files that were read before',
    limit: 20,
    best: 'low',
    of: of('documents: search', 1, (ours) => ours.p50Ms),
  },
  {
    what: 'lifecycle: start of 50 servers inside the host ×',
    limit: 2,
    best: 'low',
    of: standing('lifecycle', (ours, byHand) => ratio(ours.startMs, byHand.startMs)),
  },
  {
    what: 'lifecycle: the same, until 49 serve beside one that never answers ×',
    limit: 4,
    best: 'low',
    of: standing('lifecycle', (ours, byHand) => ratio(ours.besideMuteMs, byHand.besideMuteMs)),
  },
  {
    what: 'memory: KB more than the SDK client, per idle server',
    limit: 200,
    best: 'low',
    of: standing('memory', (ours, byHand) =>
      ours.heldBytes === undefined || byHand.heldBytes === undefined
        ? undefined
        : (ours.heldBytes - byHand.heldBytes) / 1024,
    ),
  },
];

export const isReached = ({ value, limit, best }: Judged): boolean =>
  best === 'low' ? value <= limit : value >= limit;
