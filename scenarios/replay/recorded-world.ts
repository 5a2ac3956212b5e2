import type { EventObject } from 'xstate';
import { givenIn, hostWords, orderOf, startInput } from '../../actors/recording/host-words.ts';
import { planned } from '../../actors/plans/given-config.ts';
import type { Directory, Platform, Observer } from '../../actors/runtime/directory.ts';
import { kindIn, type Address } from '../../machines/kernel/effects.ts';
import { isAnswer, type PortInstance, type Ports } from '../../machines/kernel/ports.ts';
import { ChannelNames, ownId, type Crossing } from '../../machines/trace/channels.ts';
import { withoutNumber, type Facts, type Thrown } from '../../machines/trace/record.ts';
import { VirtualClock } from '../stage/virtual-clock.ts';
import { isTimer, questionIn, type Tape } from './tape.ts';

type Give = (ev?: EventObject) => void;
interface Timer {
  ch: string;
  readonly fire: () => void;
  /** Undefined when the recording determines when the timer fires. */
  readonly id: number | undefined;
}
const errorOf = ({ name, message }: Thrown): Error => Object.assign(new Error(message), { name });
/** Before the first record: a host is brought to the state where the recording begins. */
export const preludeMs = 30_000;
/** Then everything is up, and open questions of the recording are asked. */
const settledMs = 20_000;
/** For an answer of the world while a host is being prepared. */
const promptMs = 1;
/** Node may fire a timer too early by this. */
const earlyMs = 50;
/** Puts timers that were not recorded behind recorded events of the same moment. */
const afterMs = 0.001;

/** Timers fire when they fired in the recording; timers that it does not contain run on virtual time. */
export class RecordedWorld implements Platform, Observer {
  readonly clock = new VirtualClock();
  readonly ports: Ports;
  /** Timers that fired and values that were drawn without being in the recording. */
  readonly foreign: string[] = [];
  /** Timers that fired in the recording but were not set in the replay. */
  readonly unclaimed: string[] = [];
  /** Timers that were cleared in the recording may fire then. */
  isForked = false;
  /** Delays the timers that are set now, because the recording machine was that busy. */
  #pauseMs = 0;
  readonly #tape: Tape;
  readonly #names = new ChannelNames(hostWords);
  readonly #gives = new Map<string, Give>();
  readonly #alias = new Map<string, string>();
  /** Recorded times of timers that have not fired yet. */
  readonly #fired: Map<string, number>;
  readonly #draws: Map<string, unknown[]>;
  readonly #told = new Map<string, number>();
  readonly #addresses = new Map<string, Address>();
  readonly #listening = new Set<Address>();
  readonly #timers = new Map<string, Timer>();
  readonly #hear: (crossing: Crossing, t: number) => void;
  /** Time of the recording in ms at which the clock of the replay began. */
  #offset = 0;
  #prelude: Facts | undefined;

  constructor(tape: Tape, hear: (crossing: Crossing, t: number) => void) {
    this.#tape = tape;
    this.#hear = hear;
    this.#fired = new Map(tape.fired);
    this.#draws = new Map([...tape.draws].map(([ch, values]) => [ch, [...values]]));
    const instance = (at: Address, _input: unknown, emit: (fact: never) => void): PortInstance => {
      const ch = this.#names.instanceOf(at);
      this.#gives.set(ch, emit as Give);
      this.#throwIfRecorded(ch);
      if (this.#prelude) this.#introduce(ch, this.#prelude);
      return {
        tell: (command) => {
          this.#throwIfRecorded(this.#names.instanceOf(at));
          if (this.#prelude && command.type === 'link.join') this.#introduce(ch, this.#prelude, isSeat);
        },
        close: () => this.#leave(emit as Give),
      };
    };
    this.ports = {
      open: (_port, ...opening) => instance(...opening),
      request: (from, { id, params }, emit) => {
        const ch = this.#names.questionOf(from, id);
        const give: Give = (ev) => {
          if (isAnswer(ev?.type)) this.#leave(give);
          emit({ ...toAsker(ev as EventObject, params), id } as never);
        };
        this.#gives.set(ch, give);
        if (this.#prelude) this.#answer(ch, give, this.#prelude);
        return () => this.#leave(give);
      },
    };
  }
  record(record: Parameters<NonNullable<Observer['record']>>[0]): void {
    const crossing = this.#names.of(record);
    if (!crossing || crossing.k === 'in' || crossing.k === 'draw' || this.#prelude) return;
    this.#told.set(crossing.ch, (this.#told.get(crossing.ch) ?? 0) + 1);
    this.#hear(crossing, this.now());
  }
  now(): number {
    return this.clock.now() + this.#offset;
  }
  /** `pauseMs` delays the timers that the host sets there. */
  advanceTo(t: number, pauseMs = 0): void {
    this.#pauseMs = 0;
    this.clock.advance(Math.max(0, t - this.now()));
    this.#pauseMs = pauseMs;
  }
  random(a: Address): number {
    return Number(this.#drawn('random', a, 0.5));
  }
  /** Null where the recording has no such value. */
  draw(a: Address, port: string): unknown {
    return this.#drawn(port, a, null);
  }
  #drawn(port: string, a: Address, otherwise: unknown): unknown {
    const ch = ChannelNames.draw(port, a);
    if (this.#prelude) return this.#prelude.draws.find((draw) => draw.ch === ch)?.v ?? otherwise;
    const values = this.#draws.get(ch);
    if (values?.length) return values.shift();
    this.foreign.push(ch);
    // Allows a call that was not judged in the recording, because nobody could be asked in a fork.
    if (port === 'judge' && this.isForked) return { decision: 'allow' };
    return otherwise;
  }
  setTimeout(fire: () => void, ms: number, a: Address, n: number): unknown {
    const ch = this.#names.timerOf(a, n);
    if (this.#prelude) return this.#run(ch, fire, ms);
    const [late, fires] = [this.#tape.late.get(ch), this.#fired.get(ch)];
    // Lets a timer that was cleared in the recording fire only in a forked world, after the moment when it was cleared.
    if (late !== undefined)
      return this.#run(ch, () => this.isForked && fire(), Math.max(ms, late + earlyMs - this.now()));
    if (fires === undefined || fires < this.now() + ms - earlyMs)
      return this.#run(ch, fire, ms + this.#pauseMs + afterMs);
    return this.#keep({ ch, fire, id: undefined });
  }
  #keep(timer: Timer): Timer {
    this.#timers.set(timer.ch, timer);
    return timer;
  }
  #run(ch: string, fire: () => void, ms: number): Timer {
    const id = this.clock.setTimeout(() => {
      this.#timers.delete(timer.ch);
      if (!this.#prelude && !this.#isHeld(timer.ch)) this.foreign.push(timer.ch);
      fire();
    }, ms);
    const timer = this.#keep({ ch, fire, id });
    return timer;
  }
  #isHeld(ch: string): boolean {
    return this.#tape.late.has(ch) && !this.isForked;
  }
  clearTimeout(timer: unknown): void {
    const { ch, id } = timer as Timer;
    if (id !== undefined) this.clock.clearTimeout(id);
    if (this.#timers.get(ch) === timer) this.#timers.delete(ch);
  }
  #leave(give: Give): void {
    for (const [ch, each] of this.#gives) if (each === give) this.#gives.delete(ch);
  }
  #throwIfRecorded(ch: string): void {
    const threw = this.#tape.throws.get(`${ch} ${this.#told.get(ch) ?? 0}`);
    if (threw && !this.#prelude) throw errorOf(threw);
  }

  /** False when nothing takes the input. A timer that was not set is skipped. */
  happen(directory: Directory, { ch, ev }: { readonly ch: string; readonly ev?: EventObject }): boolean {
    if (ch.startsWith('host:')) return this.#order(directory, ch, ev as EventObject);
    if (isTimer({ ch })) this.#ring(ch);
    const give = this.#gives.get(ch) ?? this.#gives.get(this.#otherwiseAsked(ch) ?? '');
    give?.(ev);
    return give !== undefined || isTimer({ ch });
  }
  #ring(ch: string): void {
    const timer = this.#timers.get(ch);
    this.#fired.delete(ch);
    if (timer && timer.id === undefined) {
      this.#timers.delete(ch);
      timer.fire();
    } else this.unclaimed.push(ch);
  }
  #otherwiseAsked(ch: string): string | undefined {
    const question = questionIn(ch);
    if (question === undefined) return undefined;
    const known = this.#alias.get(ch);
    if (known !== undefined) return known;
    const taken = new Set(this.#alias.values());
    const other = [...this.#gives.keys()].find(
      (each) => questionIn(each) === question && !this.#tape.asked.has(each) && !taken.has(each),
    );
    if (other !== undefined) this.#alias.set(ch, other);
    return other;
  }
  #order(directory: Directory, ch: string, ev: EventObject): boolean {
    const at = ch.slice('host:'.length).replace(/\/\d+$/, '');
    const kind = kindIn(at);
    const host = this.#addresses.get(ch) ?? `${ch}.1`;
    if (ev.type === 'abandon') directory.abandon(at);
    else if (ev.type.startsWith('create')) {
      if (!(kind in directory.kinds)) throw new Error(`this version makes no ${kind}`);
      this.#addresses.set(ch, host);
      this.#listen(directory, ch, host);
      directory.start(at, startInput(kind, ev, planned), host, givenIn(ev));
    } else {
      const { event, orElse } = orderOf(kind, ev, host, planned);
      const { replyTo = host } = event as EventObject & { readonly replyTo?: Address };
      if (!this.#listening.has(replyTo)) this.#listen(directory, ch, replyTo);
      directory.send(at, event, orElse, givenIn(ev));
    }
    return true;
  }
  #listen(directory: Directory, ch: string, host: Address): void {
    this.#listening.add(host);
    directory.listen(host, () => this.#throwIfRecorded(ch));
  }

  /** Starts them from the facts, and lets time pass until they have the state where the recording begins. */
  resume(directory: Directory, { t, facts }: NonNullable<Tape['facts']>): void {
    this.#offset = t - preludeMs;
    this.#prelude = facts;
    for (const order of facts.orders) this.happen(directory, order);
    this.clock.advance(settledMs);
    for (const asked of facts.open) this.happen(directory, asked);
    this.clock.advance(preludeMs - settledMs);
    this.#prelude = undefined;
    this.#rename(this.#names.restart());
    for (const { ch, left } of facts.timers) this.#set(ch, left);
  }
  #rename(names: ReadonlyMap<string, string>): void {
    for (const map of [this.#gives, this.#timers] as Map<string, unknown>[]) {
      const held = [...map];
      map.clear();
      for (const [old, each] of held) map.set(names.get(old) ?? old, each);
    }
    for (const [ch, timer] of this.#timers) timer.ch = ch;
  }
  #set(ch: string, left: number): void {
    // Ignores the delay in the name, because a randomly drawn delay differs when a host is prepared.
    const isIt = (name: string): boolean => name === ch || withoutDelay(name) === withoutDelay(ch);
    const [, timer] = [...this.#timers].find(([name]) => isIt(name)) ?? [];
    if (!timer) return;
    this.clearTimeout(timer);
    if (this.#tape.fired.has(ch)) this.#keep({ ...timer, ch, id: undefined });
    else if (!this.#tape.late.has(ch)) this.#run(ch, timer.fire, left);
  }
  #introduce(ch: string, { told, ended }: Facts, isIt = isFirst): void {
    const now = told.filter((each) => each.ch === ch);
    const last = ended.filter((each) => each.ch === withoutNumber(ch));
    const events = now.length > 0 ? now.filter(({ ev }) => isIt(ev)) : isIt === isFirst ? last : [];
    for (const { ev } of events) this.clock.setTimeout(() => this.#gives.get(ch)?.(ev), promptMs);
  }
  /** A question without a recorded answer stays open. */
  #answer(ch: string, give: Give, { answers }: Facts): void {
    const known = answers.find((each) => each.ch === withoutNumber(ch));
    if (known) this.clock.setTimeout(() => give(known.ev), promptMs);
    else if (ch.startsWith('ask ping '))
      this.clock.setTimeout(() => give({ type: 'ask.answered', result: {} } as never), promptMs);
  }
}
const withoutDelay = (ch: string): string => ch.replace(/ [\d.]+\/\d+$/, '');
function toAsker(ev: EventObject, params: unknown): EventObject {
  const { req_id: asked } = (params ?? {}) as { readonly req_id?: unknown };
  const { result } = ev as EventObject & { readonly result?: { readonly req_id?: unknown } | null };
  if (result?.req_id !== ownId) return ev;
  return { ...ev, result: { ...result, req_id: asked } } as EventObject;
}
/** It reaches a link only after the link has asked for its seat. */
const isSeat = ({ type }: EventObject): boolean => type === 'join.accepted' || type.startsWith('computer.');
const isFirst = (ev: EventObject): boolean => !isSeat(ev);
