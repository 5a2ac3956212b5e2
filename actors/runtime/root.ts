import type { Actor, AnyStateMachine } from 'xstate';
import type { Tap } from './tap.ts';
import type { Address } from '../../machines/kernel/address.ts';
import type { Message, Open, Post, TellOwned, DrawPort } from '../../machines/kernel/effects.ts';
import type { Ports } from '../../machines/kernel/ports.ts';
import { merging, type TransientMap } from '../../machines/kernel/objects.ts';
import { wireCodes } from '../../machines/protocol/index.ts';
import { isSameOutside, type DirectoryRecord } from '../../machines/trace/index.ts';

/** Timer, port instance or question of one root. It never outlives the root, not even when the machine throws. */
export class Handle {
  readonly #root: Root;
  readonly #stop: () => void;
  readonly what: 'timer' | 'deadline' | 'leaf' | 'ask';
  /** Number of a timer, address of a port instance, or id of a question. */
  readonly name: number | string;
  /** Time at which a timer fires, in ms of the platform's clock; undefined for other handles. */
  due: number | undefined;
  /** Tells whether the timer, port instance or question is still open. */
  isLive = true;
  constructor(root: Root, what: Handle['what'], name: number | string, stop: () => void) {
    this.#root = root;
    this.what = what;
    this.name = name;
    this.#stop = stop;
    root.handles.push(this);
  }
  /** Removes the handle from its root after it has ended by itself. */
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

/** Methods of the directory that its roots use. */
export interface RootHost {
  readonly platform: Platform;
  readonly tap: Tap;
  report(record: DirectoryRecord): void;
  /** Takes an input of the root that holds `handle`; does nothing when the handle has ended. */
  enter(record: DirectoryRecord, handle: Handle | undefined, apply: () => void): void;
  guarded<T>(draw: Extract<DirectoryRecord, { k: 'draw' }>, run: () => T): T;
  random(a: Address): number;
  find(address: Address): Root | undefined;
  /**
   * Adds an effect. Effects, those of the methods below included, run after the transition that asked for them, in
   * order.
   */
  effect(from: Address, run: () => void): void;
  post(from: Address, post: Post): void;
  open(from: Address, open: Open): void;
  close(from: Address, to: Address): void;
  tellOwned(from: Address, told: TellOwned): void;
}

const withDrawn = merging();
/** Returns the input of a root that is opened, together with what the platform already knows for it. */
export function drawn(host: RootHost, a: Address, draw: NonNullable<Open['draw']>, input: object): object {
  const v = host.platform.draw(a, draw.port, draw.params);
  host.report({ k: 'draw', a, port: draw.port, v });
  return withDrawn(input, { drawn: v });
}

/**
 * Part of XState's snapshot of a system: a delayed event is noted there before its timer is asked for, so the last
 * noted one belongs to that timer.
 */
interface Scheduling {
  readonly _snapshot: { readonly _scheduledEvents: Readonly<Record<string, { readonly id: string }>> };
}
const afterDelay = /^xstate\.after\.([^.]+)\./;
/** Returns the purpose of the timer that is asked for: the name of its delay, or of the event that is raised. */
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
  /** Subscription of an inspector to the machine; undefined when there is none. */
  inspection: { unsubscribe(): void } | undefined;
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
  /** Number of roots that this root has opened; together with the two counters below, the source of their numbers. */
  opened = 0;
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
  /** Returns the time in ms of a monotonic clock; used for ages that people see, never for a decision. */
  now(): number;
  /**
   * Returns a random number in [0, 1) for the actor at `a`. Called only by `Directory.random`, so that the number
   * is recorded.
   */
  random(a: Address): number;
  /** Starts timer `n` of the root `a`; with these names a replay fires the same timer. */
  setTimeout(fire: () => void, ms: number, a: Address, n: number): unknown;
  clearTimeout(timer: unknown): void;
  readonly ports: Ports;
  /**
   * Returns what a port knows without a question; null when the port has to be asked. Never throws. The result is
   * recorded as a draw.
   */
  draw(a: Address, port: DrawPort, params: object): unknown;
}

/** Refuses requests to a port that this host does not have. */
export const unanswered: Ports['request'] = (_from, { id, method }, emit) => {
  const failure = { code: wireCodes.notBuilt, message: `Nobody here answers ${method}` } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};
