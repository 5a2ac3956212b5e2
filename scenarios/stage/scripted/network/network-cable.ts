import { oversized } from '../../../../machines/office/rooms/pending.ts';
import { sizes } from '../../../../machines/protocol/protocol.ts';

/** Virtual time, as `scenarios` use it everywhere. Timers of the same moment fire in the order in which they were set. */
export interface Clock {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
export type Ack = (...args: unknown[]) => void;

/** One end of a connection between a peer and an office. */
export interface CableEnd {
  /** Like Socket.IO's emit: `onAck` hears the arguments of the other side's ack. Nothing is sent by a closed end. */
  emit(event: string, body: unknown, onAck?: Ack): void;
  /** `heard` gets the arguments of an event, with the ack function last if one is wanted. */
  listen(heard: (event: string, args: unknown[]) => void, closed: (reason: string) => void): void;
  /** What was sent before still arrives, then the other side hears of the end. */
  close(reason: string): void;
}
export interface Cable {
  readonly peer: CableEnd;
  readonly office: CableEnd;
  /** The wire is gone: nothing more arrives, both sides hear it now. */
  cut(reason: string): void;
}

/** Passes an answer on: at once, late, or never. */
export type PassAck = (pass: () => void) => void;
const atOnce: PassAck = (pass) => pass();

class Side implements CableEnd {
  heard: (event: string, args: unknown[]) => void = () => {};
  closed: (reason: string) => void = () => {};
  isOpen = true;
  other!: Side;
  readonly #clock: Clock;
  readonly #latencyMs: () => number;
  readonly #onEnd: () => void;
  readonly #passAck: PassAck;
  readonly #arriving: (() => void)[] = [];
  readonly #acks = new Map<number, Ack>();
  #lastAck = 0;
  #lastAt = 0;

  constructor(clock: Clock, latencyMs: () => number, onEnd: () => void, passAck: PassAck) {
    this.#passAck = passAck;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#onEnd = onEnd;
  }

  listen(heard: Side['heard'], closed: Side['closed']): void {
    this.heard = heard;
    this.closed = closed;
  }

  emit(event: string, body: unknown, onAck?: Ack): void {
    if (!this.isOpen) return;
    const id = onAck && ++this.#lastAck;
    if (id && onAck) this.#acks.set(id, onAck);
    this.#send([body], (args, other) => other.heard(event, id ? [...args, this.#ackOf(other, id)] : args));
  }

  close(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#onEnd();
    this.other.#arrive(() => this.other.end(reason));
  }

  end(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#onEnd();
    this.closed(reason);
  }

  /** An ack is given once; a second one is ignored, as in Socket.IO. */
  #ackOf(other: Side, id: number): Ack {
    let given = false;
    return (...ack) => {
      if (given || !other.isOpen) return;
      given = true;
      const arrived = (args: unknown[]): void => {
        const onAck = this.#acks.get(id);
        this.#acks.delete(id);
        onAck?.(...args);
      };
      this.#passAck(() => other.#send(ack, arrived));
    };
  }

  /** Through JSON, so that nobody shares an object with a peer; too large closes the connection, as it does really. */
  #send(args: unknown[], deliver: (args: unknown[], other: Side) => void): void {
    const text = JSON.stringify(args);
    const { other } = this;
    other.#arrive(() => {
      if (text.length <= sizes.officePayloadBytes) return deliver(JSON.parse(text) as unknown[], other);
      other.end(oversized);
      this.end('transport close');
    });
  }

  #arrive(run: () => void): void {
    this.#lastAt = Math.max(this.#lastAt, this.#clock.now() + this.#latencyMs());
    this.#arriving.push(run);
    this.#clock.setTimeout(() => {
      const next = this.#arriving.shift();
      if (this.isOpen) next?.();
    }, this.#lastAt - this.#clock.now());
  }
}

/**
 * A connection in virtual time: each direction keeps its order, every message takes the latency. `onEnd` is called
 * when either side is closed, perhaps twice. `toPeer` is given each answer to the peer, and passes it on or not.
 */
export function createCable(
  clock: Clock,
  latencyMs: () => number,
  onEnd: () => void,
  toPeer: PassAck = atOnce,
): Cable {
  const peer = new Side(clock, latencyMs, onEnd, toPeer);
  const office = new Side(clock, latencyMs, onEnd, atOnce);
  peer.other = office;
  office.other = peer;
  return {
    peer,
    office,
    cut(reason) {
      office.end(reason);
      peer.end(reason);
    },
  };
}
