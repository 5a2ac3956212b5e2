import { availableParallelism } from 'node:os';
import type { Kind } from './office-child.ts';
import type { ReadAnew } from './read-anew.ts';
import type { Calls } from './rooms.ts';

export interface Loaded extends Calls {
  readonly cpuUs: number;
}
/** The calls of the others beside who makes trouble. */
export interface Disturbed extends Calls {
  /** Calls of the greedy agent. */
  readonly answered: number;
  readonly refused: number;
  readonly greedyCut: boolean;
  readonly slowCut: boolean;
  readonly residentBytes: number;
  /** Calls of the others that were refused. */
  readonly others: number;
}
/** Calls of others, while a large room is silent, while it is at its limit at another office, and at theirs. */
export interface Crowded {
  readonly silent: Calls;
  readonly elsewhere: Calls;
  readonly here: Calls;
  /** What it told met its limit. */
  readonly waited: boolean;
}
export interface Carried {
  readonly kind: Kind;
  readonly seats: number;
  readonly seatMs: number;
  readonly heapKb: number;
  readonly residentKb: number;
  readonly load: Loaded;
  readonly trouble: Disturbed;
}
interface Way {
  /** One call after the other. */
  readonly alone: Calls;
  readonly load: Loaded;
  /** Published in Redis for each call. */
  readonly messages: number;
}
export interface Spread {
  readonly within: Way;
  readonly across: Way;
  readonly anew: readonly ReadAnew[];
}
interface Measured {
  readonly bare: Carried;
  readonly ours: Carried;
  readonly crowd: Crowded;
  readonly nodes: Spread | undefined;
  readonly calls: number;
  readonly inFlight: number;
}

const ratio = (a: number, b: number): string => (a / b).toFixed(2);
const row = (what: string, ...values: readonly string[]): string => `| ${what} | ${values.join(' | ')} |`;
const compared = (what: string, bare: number, ours: number, digits: number): string =>
  row(what, bare.toFixed(digits), ours.toFixed(digits), ratio(ours, bare));
const yes = (is: boolean): string => (is ? 'yes' : 'no');

function oneProcess({ bare, ours, calls, inFlight }: Measured): string {
  return `## One process

${ours.seats} seats in 200 offices, ${calls} calls, ${inFlight} in flight, beside a bare Socket.IO relay with neither checks nor limits, under the same load. Ours has all its limits on.

| | bare | ours | × |
|---|---|---|---|
${[
  compared('heap per seat, KB', bare.heapKb, ours.heapKb, 1),
  compared('resident memory per seat, KB', bare.residentKb, ours.residentKb, 1),
  compared('time to seat one, ms', bare.seatMs, ours.seatMs, 2),
  compared('CPU of the office per call, µs', bare.load.cpuUs, ours.load.cpuUs, 0),
  compared('calls per second', bare.load.perSecond, ours.load.perSecond, 0),
  compared('p50, ms', bare.load.p50Ms, ours.load.p50Ms, 1),
  compared('p99, ms', bare.load.p99Ms, ours.load.p99Ms, 1),
].join('\n')}

## Beside a greedy agent and a slow reader

The same load, while in other rooms an agent keeps 1,000 calls in flight, and a computer does not read the 25 MB a second that its agent sends it. They run in a third process of the same machine, so the office has less of it.

| | bare | ours |
|---|---|---|
${[
  row(
    'p50 of the others, ms (× of before)',
    ...[bare, ours].map(
      ({ load, trouble }) => `${trouble.p50Ms.toFixed(1)} (${ratio(trouble.p50Ms, load.p50Ms)})`,
    ),
  ),
  row(
    'p99 of the others, ms (× of before)',
    ...[bare, ours].map(
      ({ load, trouble }) => `${trouble.p99Ms.toFixed(1)} (${ratio(trouble.p99Ms, load.p99Ms)})`,
    ),
  ),
  row('calls of the others that were refused', ...[bare, ours].map(({ trouble }) => String(trouble.others))),
  row(
    'calls of the greedy agent: answered, refused',
    ...[bare, ours].map(({ trouble }) => `${trouble.answered}, ${trouble.refused}`),
  ),
  row('the greedy agent was disconnected', ...[bare, ours].map(({ trouble }) => yes(trouble.greedyCut))),
  row('the slow reader was disconnected', ...[bare, ours].map(({ trouble }) => yes(trouble.slowCut))),
  row(
    'resident memory at the end, MB',
    ...[bare, ours].map(({ trouble }) => (trouble.residentBytes / 1024 ** 2).toFixed(0)),
  ),
].join('\n')}
`;
}

export function besideACrowd({ silent, elsewhere, here, waited }: Crowded): string {
  const three = (what: string, of: (calls: Calls) => number, digits: number): string =>
    row(
      what,
      ...[silent, elsewhere, here].map((one) => of(one).toFixed(digits)),
      ratio(of(here), of(elsewhere)),
    );
  return `## Beside a room at its limit

200 seats, four calls in flight, while 40 computers of another room of 500 tell of changes 1,600 times a second, of which each is 499 deliveries. Its peers need the same cores, so it tells in turns at another office of this machine, and at theirs: × is what it adds. Medians.

| | it is silent | it tells elsewhere | it tells here | × |
|---|---|---|---|---|
${[
  three('p50 of the others, ms', ({ p50Ms }) => p50Ms, 2),
  three('p99 of the others, ms', ({ p99Ms }) => p99Ms, 2),
  three('calls of the others per second', ({ perSecond }) => perSecond, 0),
  row('the room met its limit', '', '', yes(waited), ''),
].join('\n')}
`;
}

function twoNodes({ within, across, anew }: Spread): string {
  return `## Two nodes

Two of our nodes and one Redis on the same machine: agents and computers at one node, or all agents at the one and all computers at the other. CPU is that of both nodes.

| | within a node | across nodes | × |
|---|---|---|---|
${[
  compared('p50 of one call after the other, ms', within.alone.p50Ms, across.alone.p50Ms, 2),
  compared('p50 under load, ms', within.load.p50Ms, across.load.p50Ms, 1),
  compared('p99 under load, ms', within.load.p99Ms, across.load.p99Ms, 1),
  compared('calls per second', within.load.perSecond, across.load.perSecond, 0),
  compared('CPU of the nodes per call, µs', within.load.cpuUs, across.load.cpuUs, 0),
  row('messages in Redis per call', within.messages.toFixed(2), across.messages.toFixed(2), ''),
].join('\n')}

Every 33 s a node reads anew who sits at the others. With offices of 10 seats each:

| seats | CPU, ms | nothing else runs for, ms | heap per seat, KB | a claim, µs |
|---|---|---|---|---|
${anew.map(({ seats, cpuMs, longestBlockMs, heapKb, claimUs }) => row(String(seats), cpuMs.toFixed(0), longestBlockMs.toFixed(0), heapKb.toFixed(2), claimUs.toFixed(0))).join('\n')}
`;
}

/** docs/scale-measured.md. */
export const pageOf = (measured: Measured): string =>
  `# Figures of an office

Made by \`npm run bench:scale\` on Node ${process.versions.node} and ${availableParallelism()} cores, with peers that are bare sockets in one process. Figures of other machines differ; the ratios are what counts. What follows from them stands in [scale.md](scale.md).

${oneProcess(measured)}
${besideACrowd(measured.crowd)}
${measured.nodes ? twoNodes(measured.nodes) : 'Several nodes were not measured: `redis-server` is not there.\n'}`;
