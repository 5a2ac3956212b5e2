import { createActor, type AnyStateMachine, type EventObject, type InspectionEvent } from 'xstate';
import { textOf, thrownOf } from '../kernel/errors.ts';
import { type Platform, drawn, Root, type Handle, type RootHost } from './root.ts';
import { Tap } from './tap.ts';
import { addressFor, kindIn, kindOf, nameOf, type Address } from '../../machines/kernel/address.ts';
import {
  open,
  post,
  type CheckedMessage,
  type Open,
  type OwnedEnded,
  type OwnerEnded,
  type OpenRefused,
  type Post,
  type TellOwned,
} from '../../machines/kernel/effects.ts';
import { TransientMap, merging } from '../../machines/kernel/objects.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** Merges the input of a root with its address and its owner. */
const placed = merging();
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
  /** Machines by kind, with their effects and ports provided (assemble.ts). */
  kinds: Readonly<Record<string, AnyStateMachine>> = {};
  readonly defects: string[] = [];
  readonly #roots = new TransientMap<Address, Root>();
  readonly #subscribers = new Map<Address, Subscriber>();
  opened = 0;
  readonly #inputs = new Fifo<Input>();
  readonly #effects = new Fifo<{ readonly from: Address; readonly run: () => void }>();
  readonly #over: Root[] = [];
  #mark = 0;
  #isBusy = false;
  /** Largest number of effects of one input; more count as an endless loop of messages. */
  readonly #budget = 200_000;

  constructor(platform: Platform, tap = new Tap()) {
    this.platform = platform;
    this.tap = tap;
  }

  report(record: DirectoryRecord): void {
    if (this.tap.isWatched) this.tap.record(record);
  }

  // ── inputs: the only door ──────────────────────────────────────────────────────────────────────────
  /**
   * Takes an input. `handle` is the timer, port or question that it comes from; the input is ignored when that has
   * ended before its turn.
   */
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

  // ── the host's side ────────────────────────────────────────────────────────────────────────────────
  /**
   * Adds a listener at an address outside of the tree of roots, such as `host`; messages posted there go to the
   * listener. The returned function removes it.
   */
  listen(subscriber: Address, hear: (event: EventObject) => void): () => void {
    const open = { k: 'in', via: 'outlet', a: subscriber, ev: { type: 'outlet.open' } } as const;
    this.enter(open, undefined, () => this.#subscribers.set(subscriber, { hear, messages: 0 }));
    return () =>
      this.enter({ ...open, ev: { type: 'outlet.close' } }, undefined, () =>
        this.#subscribers.delete(subscriber),
      );
  }
  /**
   * Opens a root without an owner at `kind`, or at `kind:key` where a directory has several of one kind; its end is
   * reported to the listener at `tell`. `given` is the input as the host gave it (see `DirectoryRecord`).
   */
  start(at: Address, input: object, tell: Address, given?: object): Address {
    const ev = { type: 'start', input, tell };
    const kind = kindIn(at);
    const key = at === kind ? {} : { key: at.slice(kind.length + 1) };
    this.enter({ k: 'in', via: 'start', a: at, ev, ...(given && { given }) }, undefined, () =>
      this.#performOpen(undefined, tell, { ...open(kindOf(kind), input), ...key }),
    );
    return at;
  }
  /**
   * Delivers a message to a root. `onUndelivered` is sent when no root has this address, or when the root fails on
   * the message. `given` is the order as the host gave it.
   */
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
  /** Listeners by address, each with the number of messages that it has received. */
  get subscribers(): ReadonlyMap<Address, { messages: number }> {
    return this.#subscribers;
  }
  get size(): number {
    return this.#roots.size;
  }
  /**
   * Ends a root and all that it owns at once, without asking its machines; the last resort after an orderly close.
   */
  abandon(address: Address): void {
    this.enter({ k: 'in', via: 'abandon', a: address }, undefined, () => {
      const root = this.find(address);
      if (root) this.#end(root);
    });
  }

  // ── effects: asked by machines, performed after the transition ─────────────────────────────────────
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
      // Sends the fallback when the root failed on the message: a failed step sends nothing, so an asker would
      // wait for ever.
      if (onUndelivered && root.ref.getSnapshot().status === 'error') this.post(from, onUndelivered);
    } else if (subscriber) {
      const n = (subscriber.messages += 1);
      this.guarded({ k: 'draw', a: to, port: 'outlet', n }, () => subscriber.hear(event));
    } else if (onUndelivered) this.post(from, onUndelivered);
  }

  /** Runs code of others. An error goes to the caller, and into the records, so that a replay throws it again. */
  guarded<T>(draw: Extract<DirectoryRecord, { k: 'draw' }>, run: () => T): T {
    try {
      return run();
    } catch (error) {
      this.report({ ...draw, threw: thrownOf(error) });
      throw error;
    }
  }
  /** Returns a random number in [0, 1) for the actor that makes a transition or performs an effect. */
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
    const incarnation = ((owner ?? this).opened += 1);
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
    this.#bring(root, placed(input, { self: root.id, owner: root.ownerAddress }));
  }
  #bring(root: Root, input: object): void {
    const machine = this.kinds[root.kind];
    if (!machine) throw new Error(`no machine of the kind '${root.kind}'`);
    // Passes only options that are set: XState copies its options, and each further key costs time with every
    // root.
    const options: Record<string, unknown> = { id: root.id, clock: root, input };
    if (this.tap.isInspected) options['inspect'] = inspectedFromBirth(root, this.tap);
    root.ref = createActor(machine, options as never);
    root.follow(this.#onOver);
    root.ref.start();
  }

  readonly #onOver = (root: Root, hasFailed: boolean): void => {
    if (hasFailed) this.#effects.cut(this.#mark);
    this.#over.push(root);
  };
  /** Ends a root, whether it is done, has failed or is closed; no other way to end one exists. */
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

  /** Lists the defects of the tree of roots; empty whenever no input is being handled. */
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
  /** Drops all items that were added after the queue had `length` items. */
  cut(length: number): void {
    this.#items.length = this.#head + length;
  }
}

/**
 * Subscription of an inspector that was passed as an option of XState: it cannot be ended, so the tap ignores its
 * events.
 */
const sinceBirth = { unsubscribe: (): void => {} };

/** Returns the inspector of a machine that is about to be made, so that its first step is inspected, too. */
function inspectedFromBirth(root: Root, tap: Tap): (event: InspectionEvent) => void {
  root.inspection = sinceBirth;
  return tap.inspect;
}
/** Inspects running machines while the tap has an inspector. */
export function followTap(living: { readonly tap: Tap; readonly roots: Iterable<Root> }): void {
  const { tap } = living;
  tap.onInspected = (isInspected) => {
    for (const root of living.roots)
      if (isInspected) root.inspection ??= root.ref.system.inspect(tap.inspect);
      else if (root.inspection !== sinceBirth) root.inspection = void root.inspection?.unsubscribe();
  };
}
