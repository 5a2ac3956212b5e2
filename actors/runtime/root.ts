import type { Actor, AnyStateMachine } from 'xstate';
import type { Tap } from './tap.ts';
import type { Address } from '../../machines/kernel/address.ts';
import type { Message, Open, Post, TellOwned, DrawPort } from '../../machines/kernel/effects.ts';
import type { Ports } from '../../machines/kernel/ports.ts';
import { merging, type TransientMap } from '../../machines/kernel/objects.ts';
import { wireCodes } from '../../machines/protocol/index.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** A timer, port instance or question of one root. It never outlives the root, not even when its machine throws. */
export class Handle {
  readonly #root: Root;
  readonly #stop: () => void;
  readonly what: 'timer' | 'deadline' | 'leaf' | 'ask';
  /** The number of a timer, the address of a port instance, the id of a question. */
  readonly name: number | string;
  /** When a timer fires, by the clock of the platform. */
  due: number | undefined;
  /** False once the leaf has ended. */
  isLive = true;
  constructor(root: Root, what: Handle['what'], name: number | string, stop: () => void) {
    this.#root = root;
    this.what = what;
    this.name = name;
    this.#stop = stop;
    root.handles.push(this);
  }
  /** Forgets the leaf, which has ended by itself. */
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
  /** An input of the root that holds `handle`; nothing happens when that is gone. */
  enter(record: DirectoryRecord, handle: Handle | undefined, apply: () => void): void;
  guarded<T>(draw: Extract<DirectoryRecord, { k: 'draw' }>, run: () => T): T;
  random(a: Address): number;
  find(address: Address): Root | undefined;
  /** All of these run after the transition that asked for them, in that order. */
  effect(from: Address, run: () => void): void;
  post(from: Address, post: Post): void;
  open(from: Address, open: Open): void;
  close(from: Address, to: Address): void;
  tellOwned(from: Address, told: TellOwned): void;
}

const withDrawn = merging();
/** The input of a root that is opened, and what the platform knows at once of it. */
export function drawn(host: RootHost, a: Address, draw: NonNullable<Open['draw']>, input: object): object {
  const v = host.platform.draw(a, draw.port, draw.params);
  host.report({ k: 'draw', a, port: draw.port, v });
  return withDrawn(input, { drawn: v });
}

const isSameState = (a: unknown, b: unknown): boolean => {
  if (a === b || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSameState(one[key], other[key]));
};

/** XState notes a delayed event before it asks for its timer: the last one is it. */
interface Scheduling {
  readonly _snapshot: { readonly _scheduledEvents: Readonly<Record<string, { readonly id: string }>> };
}
const afterDelay = /^xstate\.after\.([^.]+)\./;
/** Purpose of the timer that is asked for: the name of its delay, or of the event that is raised. */
function delayOf(ref: Actor<AnyStateMachine>): string {
  let last = '';
  const { _scheduledEvents: all } = (ref.system as unknown as Scheduling)._snapshot;
  for (const key in all) last = all[key]?.id ?? '';
  return afterDelay.exec(last)?.[1] ?? last;
}

/** Root actor: the actors that it owns, the handles that it holds, and the clock of its own actor system. */
export class Root {
  ref!: Actor<AnyStateMachine>;
  isAlive = true;
  /** Subscription of an inspector to its machine; undefined: there is none. */
  inspection: { unsubscribe(): void } | undefined;
  /** Owned roots by name; undefined: it has never owned any. */
  owned: TransientMap<Address, Root> | undefined;
  /** In the order in which they were taken. */
  readonly handles: Handle[] = [];
  readonly directory: RootHost;
  /** The address without its incarnation. */
  readonly name: Address;
  readonly id: Address;
  readonly kind: string;
  /** `kind` or `kind:key`: the last segment of the name. */
  readonly key: string;
  readonly owner: Root | undefined;
  readonly ownerAddress: Address;
  readonly lastWill: Message | undefined;
  deadline: Handle | undefined;
  /** How many roots, leaves and timers it has opened: their numbers. */
  opened = 0;
  leaves = 0;
  timers = 0;
  /** Time of its opening, by the clock of the platform. */
  readonly openedAt: number;
  /** Since when it is in its state, by the same clock. */
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

  /** From before its first step on; `onOver` hears that its machine is over, and how. */
  follow(onOver: (root: Root, hasFailed: boolean) => void): void {
    this.#onOver = onOver;
    this.ref.subscribe(this);
  }
  // Observer of the actor, for XState.
  next({ value }: { readonly value: unknown }): void {
    this.#isIn(value);
  }
  complete(): void {
    this.#onOver(this, false);
  }
  error(): void {
    this.#onOver(this, true);
  }
  /** A question that it has asked and that is not answered. */
  request(id: string): Handle | undefined {
    return this.handles.find(({ what, name }) => what === 'ask' && name === id);
  }
  #isIn(state: unknown): void {
    if (isSameState(state, this.#state)) return;
    this.#state = state;
    this.inStateSince = this.directory.platform.now();
  }

  // The clock of XState: timers are numbered per root, so that a replay can fire the same one.
  setTimeout(fire: () => void, ms: number): Handle {
    return this.startTimer('timer', fire, ms, delayOf(this.ref));
  }
  clearTimeout(timer: Handle | undefined): void {
    if (timer?.isLive !== true) return;
    const late = this.#isDue(timer) && { late: true as const };
    this.directory.report({ k: 'timer', op: 'clear', a: this.id, n: timer.name as number, ...late });
    timer.release();
  }
  /** Releases all that it holds. */
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

/** All that the world can do to us. Live, simulated and replayed hosts differ in this one object. */
export interface Platform {
  /** ms, monotonic; for ages in what people look at, never for a decision. */
  now(): number;
  /** Random number in [0, 1) for the actor at `a`. Called by `Directory.random` only, so that it is recorded. */
  random(a: Address): number;
  /** Timer `n` of the root `a`: names by which a replay fires the same one. */
  setTimeout(fire: () => void, ms: number, a: Address, n: number): unknown;
  clearTimeout(timer: unknown): void;
  readonly ports: Ports;
  /** Knowledge of a port that needs no question; null: the port has to be asked. Never throws. Recorded as a draw. */
  draw(a: Address, port: DrawPort, params: object): unknown;
}

/** Refuses requests to a port that is not filled. */
export const unanswered: Ports['request'] = (_from, { id, method }, emit) => {
  const failure = { code: wireCodes.notBuilt, message: `Nobody here answers ${method}` } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};
