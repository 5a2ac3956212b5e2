/** Owner of every root actor of a host: opens, delivers, keeps timers and questions, and ends what its owner leaves behind. */
import { createActor, type AnyStateMachine, type EventObject, type Actor } from 'xstate';
import {
  addressFor,
  kindIn,
  kindOf,
  nameOf,
  type Address,
  open,
  post,
  type CheckedMessage,
  type Open,
  type OwnedEnded,
  type OwnerEnded,
  type OpenRefused,
  type Post,
  type TellOwned,
  type Message,
  type DrawPort,
} from '../../machines/kernel/effects.ts';
import { TransientMap, extended } from '../../machines/kernel/objects.ts';
import type { Ports, RequestPort } from '../../machines/kernel/ports.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { type DirectoryRecord, isSameOutside } from '../../machines/trace/record.ts';
import { textOf, thrownOf } from '../kernel/errors.ts';
import type { Looking, Microstep } from './stepper/stepper.ts';

/** An observer is removed after its first error, which would lose the event or stop the observed actor. */
export class Tap implements Looking {
  #observers: readonly Observer[] = [];
  readonly #onError: (error: unknown) => void;
  /** Saves frequent code from checking all observers. */
  isWatched = false;
  isStepped = false;

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }
  add(observer: Observer): () => void {
    this.#observers = [...this.#observers, observer];
    this.#count();
    return () => {
      this.#remove(observer);
    };
  }
  record(record: DirectoryRecord): void {
    for (const observer of this.#observers)
      try {
        observer.record?.(record);
      } catch (error) {
        this.#drop(observer, error);
      }
  }
  readonly step = (step: Microstep): void => {
    for (const observer of this.#observers)
      try {
        observer.step?.(step);
      } catch (error) {
        this.#drop(observer, error);
      }
  };
  #drop(observer: Observer, error: unknown): void {
    this.#remove(observer);
    this.#onError(error);
  }
  #remove(observer: Observer): void {
    this.#observers = this.#observers.filter((each) => each !== observer);
    this.#count();
  }
  #count(): void {
    this.isWatched = this.#observers.length > 0;
    this.isStepped = this.#observers.some((o) => o.step);
  }
}

export interface Observer {
  record?(record: DirectoryRecord): void;
  step?(step: Microstep): void;
}

/** Timer, port instance or question of one root. It never outlives the root, not even when the machine throws. */
export class Handle {
  readonly #root: Root;
  readonly #stop: () => void;
  readonly what: 'timer' | 'deadline' | 'leaf' | 'ask';
  readonly name: number | string;
  /** In ms of the platform's clock; undefined for handles other than timers. */
  due: number | undefined;
  isLive = true;
  constructor(root: Root, what: Handle['what'], name: number | string, stop: () => void) {
    this.#root = root;
    this.what = what;
    this.name = name;
    this.#stop = stop;
    root.handles.push(this);
  }
  forget(): void {
    if (!this.isLive) return;
    this.isLive = false;
    const { handles } = this.#root;
    handles.splice(handles.indexOf(this), 1);
  }
  release(): void {
    if (!this.isLive) return;
    this.forget();
    this.#stop();
  }
}

interface RootHost {
  readonly platform: Platform;
  readonly tap: Tap;
  report(record: DirectoryRecord): void;
  enter(record: DirectoryRecord, handle: Handle | undefined, apply: () => void): void;
  guarded<T>(draw: Extract<DirectoryRecord, { k: 'draw' }>, run: () => T): T;
  random(a: Address): number;
  find(address: Address): Root | undefined;
  /** All effects, those of `post`, `open`, `close` and `tellOwned` included, run in the order of their adding. */
  effect(from: Address, run: () => void): void;
  post(from: Address, post: Post): void;
  open(from: Address, open: Open): void;
  close(from: Address, to: Address): void;
  tellOwned(from: Address, told: TellOwned): void;
}

function drawn(host: RootHost, a: Address, draw: NonNullable<Open['draw']>, input: object): object {
  const v = host.platform.draw(a, draw.port, draw.params);
  host.report({ k: 'draw', a, port: draw.port, v });
  return extended(input, { drawn: v });
}

/** XState notes a delayed event here before it asks for its timer, so the last one belongs to that timer. */
interface Scheduling {
  readonly _snapshot: { readonly _scheduledEvents: Readonly<Record<string, { readonly id: string }>> };
}
const afterDelay = /^xstate\.after\.([^.]+)\./;
function delayOf(ref: Actor<AnyStateMachine>): string {
  let last = '';
  const { _scheduledEvents: all } = (ref.system as unknown as Scheduling)._snapshot;
  for (const key in all) last = all[key]?.id ?? '';
  return afterDelay.exec(last)?.[1] ?? last;
}

/** Root actor: the actors that it owns, its open handles, and the clock of its own actor system. */
export class Root {
  ref!: Actor<AnyStateMachine>;
  isAlive = true;
  /** Owned roots by name; undefined until the first one is owned. */
  owned: TransientMap<Address, Root> | undefined;
  /** Open handles, in the order in which they were opened. */
  readonly handles: Handle[] = [];
  readonly directory: RootHost;
  /** Address of the root without its incarnation number. */
  readonly name: Address;
  readonly id: Address;
  readonly kind: string;
  /** Last segment of the name: `kind` or `kind:key`. */
  readonly key: string;
  readonly owner: Root | undefined;
  readonly ownerAddress: Address;
  readonly lastWill: Message | undefined;
  deadline: Handle | undefined;
  leaves = 0;
  timers = 0;
  /** Time at which the root was opened, in ms of the platform's clock. */
  readonly openedAt: number;
  /** Time since which the root is in its present state, changes within parallel regions aside, in ms of the platform's clock. */
  inStateSince: number;
  #state: unknown;
  #onOver: (root: Root, hasFailed: boolean) => void = () => {};

  constructor(
    directory: RootHost,
    place: {
      name: Address;
      id: Address;
      kind: string;
      key: string;
      owner: Root | undefined;
      ownerAddress: Address;
    },
    lastWill: Message | undefined,
  ) {
    this.directory = directory;
    this.openedAt = directory.platform.now();
    this.inStateSince = this.openedAt;
    this.name = place.name;
    this.id = place.id;
    this.kind = place.kind;
    this.key = place.key;
    this.owner = place.owner;
    this.ownerAddress = place.ownerAddress;
    this.lastWill = lastWill;
  }

  /**
   * Begins to observe the machine, before its first step; `onOver` is called when the machine has ended or failed.
   */
  follow(onOver: (root: Root, hasFailed: boolean) => void): void {
    this.#onOver = onOver;
    this.ref.subscribe(this);
  }
  // Implements the observer that XState calls with each snapshot.
  next({ value }: { readonly value: unknown }): void {
    this.#isIn(value);
  }
  complete(): void {
    this.#onOver(this, false);
  }
  error(): void {
    this.#onOver(this, true);
  }
  /** Returns the handle of an open question of this root. */
  request(id: string): Handle | undefined {
    return this.handles.find(({ what, name }) => what === 'ask' && name === id);
  }
  #isIn(state: unknown): void {
    if (isSameOutside(state, this.#state)) return;
    this.#state = state;
    this.inStateSince = this.directory.platform.now();
  }

  // Implements the clock of XState. Timers are numbered per root, so that a replay can fire the same one.
  setTimeout(fire: () => void, ms: number): Handle {
    return this.startTimer('timer', fire, ms, delayOf(this.ref));
  }
  clearTimeout(timer: Handle | undefined): void {
    if (timer?.isLive !== true) return;
    const late = this.#isDue(timer) && { late: true as const };
    this.directory.report({ k: 'timer', op: 'clear', a: this.id, n: timer.name as number, ...late });
    timer.release();
  }
  /** Releases all open handles of the root. */
  releaseAll(): void {
    for (const handle of [...this.handles])
      if (handle.due === undefined) handle.release();
      else this.clearTimeout(handle);
  }
  #isDue({ due }: Handle): boolean {
    return due !== undefined && due <= this.directory.platform.now();
  }
  startTimer(via: 'timer' | 'deadline', fire: () => void, ms: number, purpose: string): Handle {
    const { directory } = this;
    const n = (this.timers += 1);
    directory.report({ k: 'timer', op: 'set', via, a: this.id, n, ms, for: purpose });
    const handle = new Handle(this, via, n, () => directory.platform.clearTimeout(timer));
    handle.due = directory.platform.now() + ms;
    const timer = directory.platform.setTimeout(
      () =>
        directory.enter({ k: 'in', via, a: this.id, n }, handle, () => {
          handle.forget();
          fire();
        }),
      ms,
      this.id,
      n,
    );
    return handle;
  }
}

/** Platform of a directory: time, chance and ports. Live, simulated and replayed hosts differ only in this object. */
export interface Platform {
  /** In ms of a monotonic clock; used for ages that people see, never for a decision. */
  now(): number;
  /** In [0, 1). Called only by `Directory.random`, so that the number is recorded. */
  random(a: Address): number;
  /** Starts timer `n` of the root `a`; with these names a replay fires the same timer. */
  setTimeout(fire: () => void, ms: number, a: Address, n: number): unknown;
  clearTimeout(timer: unknown): void;
  readonly ports: Ports;
  /** Null when a request is needed. Never throws. Recorded as a `draw`. */
  draw(a: Address, port: DrawPort, params: object): unknown;
}

export const unanswered: RequestPort = (_from, { id, method }, emit) => {
  const failure = { code: wireCodes.notSupported, message: `Nobody here answers ${method}` } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};

interface Subscriber {
  readonly hear: (event: EventObject) => void;
  messages: number;
}
interface Input {
  readonly record: DirectoryRecord;
  readonly handle: Handle | undefined;
  readonly apply: () => void;
}

/**
 * Owner of every root actor: opens it, knows its address, delivers its messages and ends it, without decisions of
 * its own. Everything from outside enters through `enter`, and is processed with all its consequences before the
 * next input. Effects that machines ask for are performed in one order over all systems, each after the transition
 * that asked. Roots form a tree and end only in `#end`.
 */
export class Directory implements RootHost {
  readonly platform: Platform;
  readonly tap: Tap;
  kinds: Readonly<Record<string, AnyStateMachine>> = {};
  readonly defects: string[] = [];
  readonly #roots = new TransientMap<Address, Root>();
  readonly #subscribers = new Map<Address, Subscriber>();
  /** Gives the next root its number, so that an address never names two. */
  opened = 0;
  readonly #inputs = new Fifo<Input>();
  readonly #effects = new Fifo<{ readonly from: Address; readonly run: () => void }>();
  readonly #over: Root[] = [];
  #mark = 0;
  #isBusy = false;
  /** Effects of one input; more count as an endless loop of messages. */
  readonly #budget = 200_000;

  constructor(platform: Platform, tap = new Tap()) {
    this.platform = platform;
    this.tap = tap;
  }

  report(record: DirectoryRecord): void {
    if (this.tap.isWatched) this.tap.record(record);
  }

  /** `handle` is its timer, port or question; the input is dropped when that has ended before. */
  enter(record: DirectoryRecord, handle: Handle | undefined, apply: () => void): void {
    this.#inputs.push({ record, handle, apply });
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let input = this.#inputs.shift(); input; input = this.#inputs.shift()) this.#take(input);
    } finally {
      this.#isBusy = false;
    }
  }
  #take({ record, handle, apply }: Input): void {
    if (handle && !handle.isLive) return;
    this.report(record);
    this.#attempt('host', apply);
    for (let n = 1; ; n++) {
      const effect = this.#effects.shift();
      if (!effect) return;
      if (n > this.#budget) return this.#breakLoop(effect.from);
      this.#attempt(effect.from, effect.run);
    }
  }
  #attempt(at: Address, run: () => void): void {
    this.#mark = this.#effects.length;
    try {
      run();
    } catch (error) {
      this.defect(at, String(error));
    }
    // Removes roots that ended in this step before the next message can reach them.
    for (let root = this.#over.shift(); root; root = this.#over.shift()) this.#end(root);
  }
  #breakLoop(from: Address): void {
    this.#effects.cut(0);
    this.defect(from, 'livelock: its messages never came to an end');
    const looping = this.find(from);
    if (looping) this.#end(looping);
  }
  defect(at: Address, what: string): void {
    this.defects.push(`${at}: ${what}`);
    this.report({ k: 'defect', a: at, what });
  }

  /** The address lies outside of the tree of roots, such as `host`. The returned function removes the listener. */
  listen(subscriber: Address, hear: (event: EventObject) => void): () => void {
    const open = { k: 'in', via: 'outlet', a: subscriber, ev: { type: 'outlet.open' } } as const;
    this.enter(open, undefined, () => this.#subscribers.set(subscriber, { hear, messages: 0 }));
    return () =>
      this.enter({ ...open, ev: { type: 'outlet.close' } }, undefined, () =>
        this.#subscribers.delete(subscriber),
      );
  }
  /** The end is reported to the listener at `tell`. `given` is the input as the host gave it (`DirectoryRecord`). */
  start(at: Address, input: object, tell: Address, given?: object): Address {
    const ev = { type: 'start', input, tell };
    const kind = kindIn(at);
    const key = at === kind ? {} : { key: at.slice(kind.length + 1) };
    this.enter({ k: 'in', via: 'start', a: at, ev, ...(given && { given }) }, undefined, () =>
      this.#performOpen(undefined, tell, { ...open(kindOf(kind), input), ...key }),
    );
    return at;
  }
  /** `onUndelivered` is sent when no root has this address, or when the root fails on the message. */
  send(to: Address, ev: EventObject, onUndelivered?: CheckedMessage, given?: object): void {
    const more = { ...(onUndelivered && { orElse: onUndelivered }), ...(given && { given }) };
    this.enter({ k: 'in', via: 'host', a: to, ev, ...more }, undefined, () =>
      this.#performPost('host', post(addressFor(to), ev, onUndelivered && { onUndelivered })),
    );
  }
  find(address: Address): Root | undefined {
    const root = this.#roots.get(nameOf(address));
    return root && (root.name === address || root.id === address) ? root : undefined;
  }
  get roots(): Iterable<Root> {
    return this.#roots.values();
  }
  get size(): number {
    return this.#roots.size;
  }
  /** The machines are not asked; the last resort after an orderly close. */
  abandon(address: Address): void {
    this.enter({ k: 'in', via: 'abandon', a: address }, undefined, () => {
      const root = this.find(address);
      if (root) this.#end(root);
    });
  }

  effect(from: Address, run: () => void): void {
    this.#effects.push({ from, run });
  }
  post(from: Address, post: Post): void {
    this.effect(from, () => this.#performPost(from, post));
  }
  open(from: Address, open: Open): void {
    this.effect(from, () => this.#performOpen(from, from, open));
  }
  close(from: Address, to: Address): void {
    this.effect(from, () => {
      const root = this.find(to);
      if (root) this.#end(root, from);
    });
  }
  tellOwned(from: Address, { kind, event, having }: TellOwned): void {
    this.effect(from, () => {
      for (const root of this.find(from)?.owned?.values() ?? [])
        if (root.kind === kind && (having === undefined || root.owned?.has(`${root.name}/${having}`)))
          this.post(from, post(addressFor(root.id), event, { optional: true }));
    });
  }

  #performPost(from: Address, { to, event, onUndelivered, optional }: Post): void {
    const subscriber = this.#subscribers.get(to);
    const root = subscriber ? undefined : this.find(to);
    if (this.tap.isWatched) {
      const isDead = !root && !subscriber;
      const dead = isDead && { dead: onUndelivered || optional ? ('expected' as const) : ('lost' as const) };
      this.report({ k: 'post', from, a: to, ev: event, ...dead });
    }
    if (root) {
      root.ref.send(event);
      // Sends the fallback when the root failed on the message, because a failed step sends nothing and an asker would wait for ever.
      if (onUndelivered && root.ref.getSnapshot().status === 'error') this.post(from, onUndelivered);
    } else if (subscriber) {
      const n = (subscriber.messages += 1);
      this.guarded({ k: 'draw', a: to, port: 'outlet', n }, () => subscriber.hear(event));
    } else if (onUndelivered) this.post(from, onUndelivered);
  }

  /** An error goes to the caller, and into the records, so that a replay throws it again. */
  guarded<T>(draw: Extract<DirectoryRecord, { k: 'draw' }>, run: () => T): T {
    try {
      return run();
    } catch (error) {
      this.report({ ...draw, threw: thrownOf(error) });
      throw error;
    }
  }
  random(a: Address): number {
    const v = this.platform.random(a);
    this.report({ k: 'draw', a, port: 'random', v });
    return v;
  }

  #performOpen(from: Address | undefined, ownerAddress: Address, asked: Open): void {
    const { kind, key, input, lastWill, draw } = asked;
    const owner = from === undefined ? undefined : this.find(from);
    if (from !== undefined && !owner) return this.defect(from, `opened ${kind} after its end`);
    const segment = key === undefined ? kind : `${kind}:${key}`;
    const name = owner ? `${owner.name}/${segment}` : segment;
    if (this.#roots.has(name)) {
      const refused: OpenRefused = { type: 'open.refused', kind, name, input };
      return owner ? this.post(name, post(addressFor(owner.id), refused)) : this.defect(name, 'opened twice');
    }
    const incarnation = (this.opened += 1);
    const place = { name, id: `${name}#${incarnation}`, kind, key: segment, owner, ownerAddress };
    this.#admit(new Root(this, place, lastWill), draw ? drawn(this, place.id, draw, input) : input);
  }
  #admit(root: Root, input: object): void {
    this.#roots.set(root.name, root);
    if (root.owner) (root.owner.owned ??= new TransientMap()).set(root.name, root);
    if (this.tap.isWatched) {
      const will = root.lastWill && { will: root.lastWill };
      this.report({ k: 'open', a: root.id, kind: root.kind, from: root.ownerAddress, input, ...will });
    }
    this.#bring(root, extended(input, { self: root.id, owner: root.ownerAddress }));
  }
  #bring(root: Root, input: object): void {
    const machine = this.kinds[root.kind];
    if (!machine) throw new Error(`no machine of the kind '${root.kind}'`);
    // Passes only options that are set, because XState copies its options and each further key costs time with every root.
    const options: Record<string, unknown> = { id: root.id, clock: root, input };
    root.ref = createActor(machine, options as never);
    root.follow(this.#onOver);
    root.ref.start();
  }

  readonly #onOver = (root: Root, hasFailed: boolean): void => {
    if (hasFailed) this.#effects.cut(this.#mark);
    this.#over.push(root);
  };
  /** No other way to end a root exists. */
  #end(root: Root, by?: Address): void {
    if (!root.isAlive) return;
    root.isAlive = false;
    this.#roots.delete(root.name);
    root.owner?.owned?.delete(root.name);
    const { status, output, error } = root.ref.getSnapshot();
    const why = status === 'done' ? 'done' : status === 'error' ? 'failed' : 'closed';
    const end = { why, output, ...(error !== undefined && { error: textOf(error) }) } as const;
    this.report({ k: 'end', a: root.id, ...(by !== undefined && { by }), ...end });
    root.ref.stop();
    root.releaseAll();
    const bereaved: OwnerEnded = { type: 'owner.ended', why };
    const children = root.owned?.values() ?? [];
    for (const owned of children)
      this.post(root.id, post(addressFor(owned.id), bereaved, { optional: true }));
    for (const owned of children) this.effect(root.id, () => this.#end(owned, root.id));
    if (why !== 'done' && root.lastWill) {
      const { to, event } = root.lastWill;
      this.post(root.id, post(addressFor(to), event, { optional: true }));
    }
    const { kind, key, name } = root;
    const ended: OwnedEnded = { type: 'owned.ended', kind, key, name, ...end };
    this.post(root.id, post(addressFor(root.ownerAddress), ended, { optional: true }));
  }

  /** Empty whenever no input is being handled. */
  audit(): string[] {
    const wrong = [...this.defects];
    if (this.#effects.length + this.#inputs.length > 0) wrong.push('the queue is not empty');
    for (const root of this.#roots.values()) {
      if (root.owner && (!root.owner.isAlive || root.owner.owned?.get(root.name) !== root))
        wrong.push(`${root.id} has no living owner`);
      if (root.ref.getSnapshot().status !== 'active') wrong.push(`${root.id} is over but listed`);
    }
    return wrong;
  }
}

/** First-in-first-out queue: `shift` takes constant time, and the tail can be cut off. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }
  push(item: T): void {
    this.#items.push(item);
  }
  shift(): T | undefined {
    if (this.#head >= this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    }
    return item;
  }
  cut(length: number): void {
    this.#items.length = this.#head + length;
  }
}
