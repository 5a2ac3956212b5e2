import { hostWords } from '../../actors/recording/host-words.ts';
import { ChannelNames, type Crossing } from '../../machines/trace/channels.ts';
import { isCrossing, type Trace } from '../../machines/trace/reading.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { permanentPermission } from './calls/permanent-permission.invariant.ts';
import { toolChangesAnnounced } from './lists/tool-changes-announced.invariant.ts';
import { bounded } from './system/bounded.invariant.ts';
import { cancelSettlesCall } from './calls/cancel-settles-call.invariant.ts';
import { freeSeatGranted } from './system/free-seat-granted.invariant.ts';
import { shutdownTime } from './processes/shutdown-time.invariant.ts';
import { wordOf } from './crossings.ts';
import type {
  Boundary,
  Bounds,
  Crossed,
  FoundViolation,
  Invariant,
  Judge,
  SeenRecord,
  Structural,
  Violation,
} from './invariant.ts';
import { noDefect } from './system/no-defect.invariant.ts';
import { noEarlyKill } from './processes/no-early-kill.invariant.ts';
import { noMachineFails } from './system/no-machine-fails.invariant.ts';
import { noMessageLost } from './system/no-message-lost.invariant.ts';
import { noRootLeft } from './system/no-root-left.invariant.ts';
import { noSecretTold } from './system/no-secret-told.invariant.ts';
import { oneProcess } from './processes/one-process.invariant.ts';
import { readyOrFailed } from './servers/ready-or-failed.invariant.ts';
import { joinedOrRefused } from './system/joined-or-refused.invariant.ts';
import { callSentOnce } from './calls/call-sent-once.invariant.ts';
import { callSettledInTime } from './calls/call-settled-in-time.invariant.ts';
import { callSettledOnce } from './calls/call-settled-once.invariant.ts';
import { burstListedOnce } from './lists/burst-listed-once.invariant.ts';
import { closingRefusesCalls } from './system/closing-refuses-calls.invariant.ts';
import { noRunAfterEnd } from './calls/no-run-after-end.invariant.ts';
import { callsNeedPermission } from './calls/calls-need-permission.invariant.ts';
import { requestAnsweredOnce } from './resources/request-answered-once.invariant.ts';

export type {
  Boundary,
  Bounds,
  Crossed,
  FoundViolation,
  Invariant,
  Judge,
  SeenRecord,
  Story,
  Structural,
  Violation,
} from './invariant.ts';

/** A recording alone is enough to check them. */
export const boundary: readonly Boundary[] = [
  callSettledOnce,
  cancelSettlesCall,
  noEarlyKill,
  shutdownTime,
  freeSeatGranted,
  closingRefusesCalls,
  callsNeedPermission,
  permanentPermission,
  burstListedOnce,
  requestAnsweredOnce,
  callSettledInTime,
  noRunAfterEnd,
  callSentOnce,
  oneProcess,
  readyOrFailed,
  joinedOrRefused,
  toolChangesAnnounced,
  noSecretTold,
];
/** Checked in the simulator, in scenarios and in replays. */
export const structural: readonly Structural[] = [
  noRootLeft,
  bounded,
  noMachineFails,
  noDefect,
  noMessageLost,
];
export const invariants: readonly Invariant[] = [...boundary, ...structural];

const realBounds: Bounds = { slackMs: 5_000, wayMs: 5_000 };

interface Seat<What> {
  readonly invariant: string;
  readonly judge: Judge<What>;
  readonly sees: ReadonlySet<string>;
}
const seated = <What>(
  held: readonly { invariant: string; sees: readonly string[]; open(b: Bounds): Judge<What> }[],
  bounds: Bounds,
) =>
  held.map(({ invariant, sees, open }): Seat<What> => ({
    invariant,
    judge: open(bounds),
    sees: new Set(sees),
  }));

/** Each input goes only to the judges that want to see it. */
class Row<What extends { readonly k: string }> {
  readonly seats: readonly Seat<What>[];
  readonly #seeing = new Map<string, Map<string, readonly Seat<What>[]>>();

  constructor(seats: readonly Seat<What>[]) {
    this.seats = seats;
  }
  of(k: string, word: string): readonly Seat<What>[] {
    let words = this.#seeing.get(k);
    if (!words) this.#seeing.set(k, (words = new Map<string, readonly Seat<What>[]>()));
    let seats = words.get(word);
    if (!seats)
      words.set(word, (seats = this.seats.filter(({ sees }) => sees.has(k) || sees.has(`${k} ${word}`))));
    return seats;
  }
}
const topicOf = (record: DirectoryRecord): string => {
  if (record.k === 'post' || record.k === 'out') return record.ev.type;
  if (record.k !== 'in') return '';
  return record.via === 'leaf' && record.ev !== undefined ? record.ev.type : record.via;
};

export class Bench {
  readonly #outside: Row<Crossing>;
  readonly #inside: Row<DirectoryRecord>;
  readonly #names = new ChannelNames(hostWords);
  readonly #violations: Violation[] = [];

  constructor(bounds: Partial<Bounds> = {}, held: readonly Invariant[] = invariants) {
    const all = { ...realBounds, ...bounds };
    this.#outside = new Row(
      seated(
        held.filter((each) => each.reads === 'boundary'),
        all,
      ),
    );
    this.#inside = new Row(
      seated(
        held.filter((each) => each.reads === 'inside'),
        all,
      ),
    );
  }
  get violations(): readonly Violation[] {
    return this.#violations;
  }
  take(seen: SeenRecord | Crossed): void {
    const { at } = seen;
    if ('crossing' in seen) return this.#cross(seen.crossing, at);
    const { record } = seen;
    // Names of timers are slow to compute, and no judge asks which one fired.
    const crossing =
      record.k === 'timer' || this.#outside.seats.length === 0 ? undefined : this.#names.of(record);
    if (crossing) this.#cross(crossing, at);
    this.#judge(this.#inside.of(record.k, topicOf(record)), record, at);
  }
  #cross(crossing: Crossing, at: number): void {
    this.#judge(this.#outside.of(crossing.k, wordOf(crossing)), crossing, at);
  }
  #judge<What>(seats: readonly Seat<What>[], what: What, at: number): void {
    for (let i = 0; i < seats.length; i += 1) {
      const { invariant, judge } = seats[i] as Seat<What>;
      const found = judge.take(what, at);
      if (found !== undefined) this.#note(invariant, found);
    }
  }
  quiescent(at: number): void {
    for (const { invariant, judge } of [...this.#outside.seats, ...this.#inside.seats])
      this.#note(invariant, judge.quiescent?.(at) ?? []);
  }
  closed(at: number): void {
    for (const { invariant, judge } of [...this.#outside.seats, ...this.#inside.seats])
      this.#note(invariant, judge.closed?.(at) ?? []);
  }
  #note(invariant: string, found: FoundViolation | readonly FoundViolation[]): void {
    for (const { at, what, kind = 'safety' } of [found].flat())
      this.#violations.push({ invariant, kind, at, what });
  }
}

export interface JudgeOptions {
  readonly bounds?: Partial<Bounds>;
  /** All by default. */
  readonly invariants?: readonly Invariant[];
}
/** `isClosed` means that everything was told to end, and had time to. */
export function judge(
  seen: Iterable<SeenRecord | Crossed>,
  isClosed: boolean,
  options: JudgeOptions = {},
): Violation[] {
  const bench = new Bench(options.bounds, options.invariants);
  let at = 0;
  for (const each of seen) {
    bench.take(each);
    ({ at } = each);
  }
  if (isClosed) bench.closed(at);
  return [...bench.violations];
}
export const crossedIn = ({ lines }: Trace): Crossed[] =>
  lines.flatMap(({ t, record }) => (isCrossing(record) ? [{ at: t, crossing: record }] : []));
