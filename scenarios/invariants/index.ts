import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { allKept } from './system/all-kept.law.ts';
import { allowedForGood } from './calls/allowed-for-good.law.ts';
import { announced } from './lists/announced.law.ts';
import { askedAnew } from './lists/asked-anew.law.ts';
import { atRest } from './system/at-rest.law.ts';
import { backoff } from './servers/backoff.law.ts';
import { bounded } from './system/bounded.law.ts';
import { breaker } from './servers/breaker.law.ts';
import { callsBeforeStdin } from './processes/calls-before-stdin.law.ts';
import { cancelSettles } from './calls/cancel-settles.law.ts';
import { changeFetched } from './lists/change-fetched.law.ts';
import { changedValue } from './servers/changed-value.law.ts';
import { childEndsOnce } from './processes/child-ends-once.law.ts';
import { convergence } from './system/convergence.law.ts';
import { freedSeat } from './system/freed-seat.law.ts';
import { given } from './lists/given.law.ts';
import { heardOut } from './resources/heard-out.law.ts';
import { knownTools } from './calls/known-tools.law.ts';
import { ladderTime } from './processes/ladder-time.law.ts';
import { ladder } from './processes/ladder.law.ts';
import type { Bounds, Breach, Found, Judge, Law, Seen, Topic } from './law.ts';
import { leftAlone } from './servers/left-alone.law.ts';
import { letIn } from './system/let-in.law.ts';
import { listedFirst } from './resources/listed-first.law.ts';
import { livingOwner } from './system/living-owner.law.ts';
import { noDefect } from './system/no-defect.law.ts';
import { noForce } from './processes/no-force.law.ts';
import { noMachineFails } from './system/no-machine-fails.law.ts';
import { noMessageLost } from './system/no-message-lost.law.ts';
import { noRootLeft } from './system/no-root-left.law.ts';
import { noSecretTold } from './system/no-secret-told.law.ts';
import { noViewLeft } from './lists/no-view-left.law.ts';
import { oneAnswer } from './calls/one-answer.law.ts';
import { oneBadServer } from './servers/one-bad-server.law.ts';
import { oneProcess } from './processes/one-process.law.ts';
import { orderObeyed } from './servers/order-obeyed.law.ts';
import { readyOrWhyNot } from './servers/ready-or-why-not.law.ts';
import { seatedOrWhyNot } from './system/seated-or-why-not.law.ts';
import { sentOnce } from './calls/sent-once.law.ts';
import { settledInTime } from './calls/settled-in-time.law.ts';
import { settledOnce } from './calls/settled-once.law.ts';
import { silentServer } from './lists/silent-server.law.ts';
import { silence } from './calls/silence.law.ts';
import { startingWaited } from './servers/starting-waited.law.ts';
import { waitsTold } from './servers/waits-told.law.ts';
import { startBegins } from './servers/start-begins.law.ts';
import { bursts } from './lists/bursts.law.ts';
import { closingRefuses } from './system/closing-refuses.law.ts';
import { heldCalls } from './calls/held-calls.law.ts';
import { inLine } from './calls/in-line.law.ts';
import { inTurn } from './servers/in-turn.law.ts';
import { outcomeTold } from './calls/outcome.law.ts';
import { overIsOver } from './calls/over-is-over.law.ts';
import { permitted } from './calls/permitted.law.ts';
import { pingIdle } from './servers/ping-idle.law.ts';
import { renewed } from './servers/renewed.law.ts';
import { rolledBack } from './servers/rolled-back.law.ts';
import { takenBack } from './calls/taken-back.law.ts';
import { toldLists } from './lists/told-lists.law.ts';
import { toolsNamed } from './lists/tools-named.law.ts';
import { turns } from './servers/turns.law.ts';
import { withdrawnTold } from './lists/withdrawn-told.law.ts';
import { askedIfChanged } from './resources/asked-if-changed.law.ts';
import { namedMissing } from './resources/named-missing.law.ts';
import { everyUpdate } from './resources/every-update.law.ts';
import { neverWaits } from './resources/never-waits.law.ts';
import { shownOnce } from './resources/shown-once.law.ts';
import { toldOffice } from './lists/told-office.law.ts';
import { toldShown } from './resources/told-shown.law.ts';

export type { Bounds, Breach, Found, Judge, Law, Seen, Story } from './law.ts';

/** Each has a file of its own, `<name>.law.ts`. */
export const laws: readonly Law[] = [
  settledOnce,
  cancelSettles,
  changeFetched,
  noForce,
  ladderTime,
  freedSeat,
  noViewLeft,
  startBegins,
  backoff,
  breaker,
  turns,
  inTurn,
  rolledBack,
  changedValue,
  pingIdle,
  heldCalls,
  startingWaited,
  withdrawnTold,
  waitsTold,
  closingRefuses,
  allKept,
  listedFirst,
  renewed,
  askedAnew,
  letIn,
  heardOut,
  permitted,
  allowedForGood,
  inLine,
  silentServer,
  given,
  outcomeTold,
  takenBack,
  bursts,
  toldLists,
  shownOnce,
  neverWaits,
  everyUpdate,
  toldShown,
  toldOffice,
  askedIfChanged,
  namedMissing,
  settledInTime,
  overIsOver,
  sentOnce,
  oneAnswer,
  oneProcess,
  childEndsOnce,
  ladder,
  callsBeforeStdin,
  oneBadServer,
  leftAlone,
  readyOrWhyNot,
  seatedOrWhyNot,
  convergence,
  knownTools,
  announced,
  toolsNamed,
  orderObeyed,
  atRest,
  noRootLeft,
  livingOwner,
  silence,
  bounded,
  noMachineFails,
  noDefect,
  noMessageLost,
  noSecretTold,
];

/** Enough for a host whose machine is busy. */
const realBounds: Bounds = { slackMs: 5_000, wayMs: 5_000 };

interface Seat {
  readonly law: string;
  readonly judge: Judge;
  readonly sees: ReadonlySet<Topic>;
}
/** What a record is about, see `Topic`. */
const wordOf = (record: DirectoryRecord): string => {
  if (record.k === 'post' || record.k === 'out') return record.ev.type;
  if (record.k !== 'in') return '';
  return record.via === 'leaf' && record.ev !== undefined ? record.ev.type : record.via;
};

/** All judges together. Each record goes only to those who want to see it. */
export class Bench {
  readonly #seats: readonly Seat[];
  /** Kind of record → what it is about → who wants to see it; filled as they come. */
  readonly #seeing: Readonly<Record<DirectoryRecord['k'], Map<string, readonly Seat[]>>> = {
    ...{ in: new Map(), draw: new Map(), post: new Map(), open: new Map() },
    ...{ end: new Map(), timer: new Map(), out: new Map(), defect: new Map() },
  };
  readonly #breaches: Breach[] = [];

  constructor(bounds: Partial<Bounds> = {}, held: readonly Law[] = laws) {
    const all = { ...realBounds, ...bounds };
    this.#seats = held.map(({ law, sees, open }) => ({ law, judge: open(all), sees: new Set(sees) }));
  }
  /** In the order in which they were found. */
  get breaches(): readonly Breach[] {
    return this.#breaches;
  }
  take({ record, at }: Seen): void {
    const word = wordOf(record);
    const seats = this.#seeing[record.k].get(word) ?? this.#seat(record.k, word);
    for (let i = 0; i < seats.length; i += 1) {
      const seat = seats[i] as Seat;
      const found = seat.judge.take(record, at);
      if (found !== undefined) this.#note(seat, found);
    }
  }
  #seat(k: DirectoryRecord['k'], word: string): readonly Seat[] {
    const seats = this.#seats.filter(({ sees }) => sees.has(k) || sees.has(`${k} ${word}` as Topic));
    this.#seeing[k].set(word, seats);
    return seats;
  }
  quiet(at: number): void {
    for (const seat of this.#seats) this.#note(seat, seat.judge.quiet?.(at) ?? []);
  }
  closed(at: number): void {
    for (const seat of this.#seats) this.#note(seat, seat.judge.closed?.(at) ?? []);
  }
  #note({ law }: Seat, found: Found | readonly Found[]): void {
    for (const { at, what, kind = 'safety' } of [found].flat()) this.#breaches.push({ law, kind, at, what });
  }
}

export interface JudgeOptions {
  readonly bounds?: Partial<Bounds>;
  /** Default: all. */
  readonly laws?: readonly Law[];
}
/** Every breach of every law in what was seen. `isClosed`: everything had been told to end, and had time to. */
export function judge(seen: Iterable<Seen>, isClosed: boolean, options: JudgeOptions = {}): Breach[] {
  const bench = new Bench(options.bounds, options.laws);
  let at = 0;
  for (const each of seen) {
    bench.take(each);
    ({ at } = each);
  }
  if (isClosed) bench.closed(at);
  return [...bench.breaches];
}
