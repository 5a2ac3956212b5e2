import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { configHasClients } from './system/config-has-clients.invariant.ts';
import { permanentPermission } from './calls/permanent-permission.invariant.ts';
import { toolChangesAnnounced } from './lists/tool-changes-announced.invariant.ts';
import { renewedSessionRelisted } from './lists/renewed-session-relisted.invariant.ts';
import { nothingUnderWay } from './system/nothing-under-way.invariant.ts';
import { backoff } from './servers/backoff.invariant.ts';
import { bounded } from './system/bounded.invariant.ts';
import { breaker } from './servers/breaker.invariant.ts';
import { callsEndBeforeStdin } from './processes/calls-end-before-stdin.invariant.ts';
import { cancelSettlesCall } from './calls/cancel-settles-call.invariant.ts';
import { changeFetched } from './lists/change-fetched.invariant.ts';
import { changedValueUsed } from './servers/changed-value-used.invariant.ts';
import { childEndsOnce } from './processes/child-ends-once.invariant.ts';
import { convergence } from './system/convergence.invariant.ts';
import { freeSeatGranted } from './system/free-seat-granted.invariant.ts';
import { resultDelivered } from './lists/result-delivered.invariant.ts';
import { answerSettlesCall } from './resources/answer-settles-call.invariant.ts';
import { agentKnowsTools } from './calls/agent-knows-tools.invariant.ts';
import { shutdownTime } from './processes/shutdown-time.invariant.ts';
import { shutdownOrder } from './processes/shutdown-order.invariant.ts';
import type { Bounds, Violation, Found, Judge, Invariant, Seen, Topic } from './invariant.ts';
import { readyStaysReady } from './servers/ready-stays-ready.invariant.ts';
import { refusedLoginWaits } from './system/refused-login-waits.invariant.ts';
import { toolsBeforeReady } from './resources/tools-before-ready.invariant.ts';
import { livingOwner } from './system/living-owner.invariant.ts';
import { noDefect } from './system/no-defect.invariant.ts';
import { noEarlyKill } from './processes/no-early-kill.invariant.ts';
import { noMachineFails } from './system/no-machine-fails.invariant.ts';
import { noMessageLost } from './system/no-message-lost.invariant.ts';
import { noRootLeft } from './system/no-root-left.invariant.ts';
import { noSecretTold } from './system/no-secret-told.invariant.ts';
import { noViewLeft } from './lists/no-view-left.invariant.ts';
import { questionAnsweredOnce } from './calls/question-answered-once.invariant.ts';
import { serversIsolated } from './servers/servers-isolated.invariant.ts';
import { registryInTime } from './processes/registry-in-time.invariant.ts';
import { noWriteLost } from './processes/no-write-lost.invariant.ts';
import { offMeansNoProcess } from './processes/off-means-no-process.invariant.ts';
import { oneProcess } from './processes/one-process.invariant.ts';
import { ordersObeyed } from './servers/orders-obeyed.invariant.ts';
import { readyOrFailed } from './servers/ready-or-failed.invariant.ts';
import { joinedOrRefused } from './system/joined-or-refused.invariant.ts';
import { callSentOnce } from './calls/call-sent-once.invariant.ts';
import { callSettledInTime } from './calls/call-settled-in-time.invariant.ts';
import { callSettledOnce } from './calls/call-settled-once.invariant.ts';
import { idleLimit } from './lists/idle-limit.invariant.ts';
import { noEventsAfterEnd } from './calls/no-events-after-end.invariant.ts';
import { startingNotMissing } from './servers/starting-not-missing.invariant.ts';
import { waitReasonTold } from './servers/wait-reason-told.invariant.ts';
import { startBegins } from './servers/start-begins.invariant.ts';
import { burstListedOnce } from './lists/burst-listed-once.invariant.ts';
import { closingRefusesCalls } from './system/closing-refuses-calls.invariant.ts';
import { waitingCallsSent } from './calls/waiting-calls-sent.invariant.ts';
import { callsInOrder } from './calls/calls-in-order.invariant.ts';
import { launchedWithPermit } from './servers/launched-with-permit.invariant.ts';
import { callOutcome } from './calls/call-outcome.invariant.ts';
import { noRunAfterEnd } from './calls/no-run-after-end.invariant.ts';
import { callsNeedPermission } from './calls/calls-need-permission.invariant.ts';
import { noPingDuringCall } from './servers/no-ping-during-call.invariant.ts';
import { sessionRenewedOnce } from './servers/session-renewed-once.invariant.ts';
import { rolledBack } from './servers/rolled-back.invariant.ts';
import { listWithdrawn } from './calls/list-withdrawn.invariant.ts';
import { listChangesReported } from './lists/list-changes-reported.invariant.ts';
import { changedToolsNamed } from './lists/changed-tools-named.invariant.ts';
import { startRate } from './servers/start-rate.invariant.ts';
import { withdrawnNotMissing } from './lists/withdrawn-not-missing.invariant.ts';
import { unchangedNotAsked } from './resources/unchanged-not-asked.invariant.ts';
import { missingServersNamed } from './resources/missing-servers-named.invariant.ts';
import { everyUpdateRefreshes } from './resources/every-update-refreshes.invariant.ts';
import { noNeedlessWait } from './resources/no-needless-wait.invariant.ts';
import { requestAnsweredOnce } from './resources/request-answered-once.invariant.ts';
import { officeToldOfChanges } from './lists/office-told-of-changes.invariant.ts';
import { viewChangesAnnounced } from './resources/view-changes-announced.invariant.ts';

export type { Bounds, Violation, Found, Judge, Invariant, Seen, Story } from './invariant.ts';

/** Each has a file of its own, `<name>.invariant.ts`. */
export const invariants: readonly Invariant[] = [
  callSettledOnce,
  cancelSettlesCall,
  changeFetched,
  noEarlyKill,
  shutdownTime,
  freeSeatGranted,
  noViewLeft,
  startBegins,
  backoff,
  breaker,
  startRate,
  launchedWithPermit,
  rolledBack,
  changedValueUsed,
  noPingDuringCall,
  waitingCallsSent,
  startingNotMissing,
  withdrawnNotMissing,
  waitReasonTold,
  registryInTime,
  noWriteLost,
  offMeansNoProcess,
  closingRefusesCalls,
  configHasClients,
  toolsBeforeReady,
  sessionRenewedOnce,
  renewedSessionRelisted,
  refusedLoginWaits,
  answerSettlesCall,
  callsNeedPermission,
  permanentPermission,
  callsInOrder,
  idleLimit,
  resultDelivered,
  callOutcome,
  listWithdrawn,
  burstListedOnce,
  listChangesReported,
  requestAnsweredOnce,
  noNeedlessWait,
  everyUpdateRefreshes,
  viewChangesAnnounced,
  officeToldOfChanges,
  unchangedNotAsked,
  missingServersNamed,
  callSettledInTime,
  noRunAfterEnd,
  callSentOnce,
  questionAnsweredOnce,
  oneProcess,
  childEndsOnce,
  shutdownOrder,
  callsEndBeforeStdin,
  serversIsolated,
  readyStaysReady,
  readyOrFailed,
  joinedOrRefused,
  convergence,
  agentKnowsTools,
  toolChangesAnnounced,
  changedToolsNamed,
  ordersObeyed,
  nothingUnderWay,
  noRootLeft,
  livingOwner,
  noEventsAfterEnd,
  bounded,
  noMachineFails,
  noDefect,
  noMessageLost,
  noSecretTold,
];

/** Enough for a host whose machine is busy. */
const realBounds: Bounds = { slackMs: 5_000, wayMs: 5_000 };

interface Seat {
  readonly invariant: string;
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
    in: new Map(),
    draw: new Map(),
    post: new Map(),
    open: new Map(),
    end: new Map(),
    timer: new Map(),
    out: new Map(),
    defect: new Map(),
  };
  readonly #violations: Violation[] = [];

  constructor(bounds: Partial<Bounds> = {}, held: readonly Invariant[] = invariants) {
    const all = { ...realBounds, ...bounds };
    this.#seats = held.map(({ invariant, sees, open }) => ({
      invariant,
      judge: open(all),
      sees: new Set(sees),
    }));
  }
  /** In the order in which they were found. */
  get violations(): readonly Violation[] {
    return this.#violations;
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
  quiescent(at: number): void {
    for (const seat of this.#seats) this.#note(seat, seat.judge.quiescent?.(at) ?? []);
  }
  closed(at: number): void {
    for (const seat of this.#seats) this.#note(seat, seat.judge.closed?.(at) ?? []);
  }
  #note({ invariant }: Seat, found: Found | readonly Found[]): void {
    for (const { at, what, kind = 'safety' } of [found].flat())
      this.#violations.push({ invariant, kind, at, what });
  }
}

export interface JudgeOptions {
  readonly bounds?: Partial<Bounds>;
  /** Default: all. */
  readonly invariants?: readonly Invariant[];
}
/** Every violation of every invariant in what was seen. `isClosed`: everything had been told to end, and had time to. */
export function judge(seen: Iterable<Seen>, isClosed: boolean, options: JudgeOptions = {}): Violation[] {
  const bench = new Bench(options.bounds, options.invariants);
  let at = 0;
  for (const each of seen) {
    bench.take(each);
    ({ at } = each);
  }
  if (isClosed) bench.closed(at);
  return [...bench.violations];
}
