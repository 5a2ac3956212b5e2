/** Connections of an office, without I/O: events of sockets, pings, relayed requests. */
import type { z } from 'zod';
import type { Emit } from '../../machines/kernel/ports.ts';
import type { OfficeCommand, OfficeFact, SeatFacts } from '../../machines/ports/office.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { badPayload, refusal } from '../../machines/protocol/messages/answers.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { joinOffice, leaveOffice } from '../../machines/protocol/messages/messages.ts';
import { refusedClaim } from '../../machines/office/rooms/claims.ts';
import { forbids, mayTakeOver, type Admitted } from '../../machines/office/rooms/entry.ts';
import { officeLimits, openGate, type Gate } from '../../machines/office/rooms/limits.ts';
import { Pending, type Timers } from '../../machines/office/rooms/pending.ts';
import type { RelayTiming } from '../../machines/office/rooms/relay.ts';
import {
  OpenCalls,
  tracedCall,
  draining,
  heardBy,
  internal,
  unreadIn,
  silent,
  splitArgs,
  type Ack,
  type OfficeWatch,
  type OfficeWire,
  type CallEnd,
  type CallTold,
} from './office-wire.ts';
import { apartFailure } from './nodes/seats.ts';
import { answerSafely, OfficeRelaying } from './office-relaying.ts';
import { isSameSeat, Seating } from '../../machines/office/rooms/register.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { failureIn, readToolResult, reportIn } from '../../machines/protocol/reading.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';

/** `seat`: of a join. */
interface Asked {
  readonly socket: string;
  readonly ack: Ack;
  readonly seat?: SeatFacts;
}
/** Joins and leaves become facts for the office machine; all else is relayed here without it, for speed. */
export class OfficeConnections {
  readonly #wire: OfficeWire;
  readonly #emit: Emit<OfficeFact>;
  readonly #pending: Pending;
  readonly #probes: Probes;
  readonly #seating = new Seating();
  readonly #sockets = new Map<string, Admitted>();
  readonly #tickets = new Map<string, Asked>();
  readonly #watch: OfficeWatch;
  readonly #gate: Gate;
  readonly #relaying: OfficeRelaying;
  readonly #calls = new OpenCalls();
  #lastTicket = 0;
  #closed = false;
  #isDraining = false;

  constructor(
    wire: OfficeWire,
    timers: Timers,
    emit: Emit<OfficeFact>,
    timings: RelayTiming = timing,
    watch: OfficeWatch = {},
  ) {
    const { gate = openGate, limits = officeLimits, cluster } = watch;
    this.#watch = watch;
    this.#gate = gate;
    this.#wire = wire;
    this.#emit = emit;
    this.#probes = new Probes(timers, (socket, onAlive) => wire.probe(socket, onAlive));
    this.#pending = new Pending(timers, limits, gate);
    const seating = this.#seating;
    const parted = (socket: string): void => this.closed(socket, 'its seat was taken by another');
    const pending = this.#pending;
    this.#relaying = new OfficeRelaying({
      wire,
      timers,
      gate,
      pending,
      seating,
      timings,
      cluster,
      parted,
      grantOf: (socket) => this.#sockets.get(socket) ?? {},
    });
  }

  /** Undefined when there is only one node. */
  get cluster(): OfficeRelaying['cluster'] {
    return this.#relaying.cluster;
  }
  seatOf(socket: string): SeatFacts | undefined {
    return this.#seating.seatOf(socket);
  }
  get inFlight(): number {
    return this.#pending.size;
  }
  get counts(): { readonly seats: number; readonly offices: number; readonly inFlight: number } {
    return { ...this.#seating.counts, inFlight: this.inFlight };
  }

  /** `isOurs`: its client knows every notice. `grant`: all by default. `misses`: for the inspector page. */
  opened(
    socket: string,
    version?: string,
    isOurs = false,
    grant: Admitted = {},
    misses: readonly string[] = [],
  ): void {
    if (this.#closed) return;
    this.#sockets.set(socket, grant);
    this.#seating.opened(socket, version, isOurs);
    const lacking = misses.length > 0 && { misses, ...(version !== undefined && { version }) };
    this.#emit({ type: 'socket.opened', socket, ...lacking });
  }

  /** The reason `oversized` is named in the failure. */
  closed(socket: string, reason: string): void {
    if (this.#closed || !this.#sockets.delete(socket)) return;
    this.#unseat(socket, reason);
    this.#seating.closed(socket);
    this.#calls.left(socket);
    for (const [ticket, { socket: asker }] of this.#tickets)
      if (asker === socket) this.#tickets.delete(ticket);
    this.#emit({ type: 'socket.closed', socket, reason });
  }

  received(socket: string, event: string, args: readonly unknown[]): void {
    const { payload, ack: asked } = splitArgs(args);
    const heard = heardBy(this.#watch, event, payload, asked);
    if (this.#closed || !this.#sockets.has(socket)) return;
    if (event !== events.toolCall) return this.#take(socket, event, payload, heard);
    const office = this.#seating.seatOf(socket)?.office;
    const { called, tracing } = this.#watch;
    const told = called && toldCall(called, office, payload);
    const traced = tracing && tracedCall(tracing, 'office', office, payload);
    const end: CallEnd = (answer) => {
      traced?.end(answer);
      told?.(answer);
    };
    const ack = told || traced ? this.#calls.opened(socket, end, heard) : heard;
    this.#take(socket, event, traced ? traced.payload : payload, ack);
  }
  #take(socket: string, event: string, payload: unknown, ack: Ack | undefined): void {
    try {
      const tooMany = this.#gate.event(socket, this.#seating.seatOf(socket)?.office);
      if (tooMany) return this.#refuse(socket, event, tooMany, ack);
      const unread = unreadIn(payload);
      if (unread) return this.#refuse(socket, event, unread, ack);
      if (this.#isDraining && (event === events.joinOffice || event.startsWith('client:')))
        return this.#refuse(socket, event, draining, ack);
      if (event === events.joinOffice) this.#joins(socket, payload, ack);
      else if (event === events.leaveOffice) this.#leaves(socket, payload, ack);
      else this.#relaying.received(socket, event, payload, ack);
    } catch {
      this.#refuse(socket, event, internal, ack);
    }
  }
  /** A refused join is also told to who runs the office. */
  #refuse(socket: string, event: string, failure: Failure, ack: Ack | undefined, seat?: SeatFacts): void {
    answerSafely(ack, refusal(event, failure));
    if (event === events.joinOffice) this.#watch.refused?.(socket, failure, seat);
  }

  tell(command: OfficeCommand): void {
    if (this.#closed) return;
    switch (command.type) {
      case 'office.answer': {
        const waiting = this.#tickets.get(command.ticket);
        this.#tickets.delete(command.ticket);
        const { ok, text } = command;
        answerSafely(waiting?.ack, [ok, text]);
        if (ok || !waiting?.seat) return;
        const isApart = text === apartFailure.message;
        const failure = isApart ? apartFailure : refusedClaim(text ?? '');
        return this.#watch.refused?.(waiting.socket, failure, waiting.seat);
      }
      case 'office.drain':
        return this.#drain();
      case 'office.seat':
        return this.#seat(command.socket, command.seat);
      case 'office.unseat':
        return this.#unseat(command.socket);
      case 'office.claim':
        return this.#claim(command);
      case 'office.unclaim':
        return this.cluster?.own.release(command.socket, command.seat);
      case 'office.broadcast':
        return this.#relaying.broadcast(command.office, command.except, command.event, command.body);
    }
  }

  /** Sockets without pending requests are disconnected at once. */
  #drain(): void {
    this.#isDraining = true;
    this.#pending.onEmpty = () => this.#emit({ type: 'office.drained' });
    for (const socket of this.#sockets.keys())
      if (!this.#pending.concerns(socket)) this.#wire.part(socket, draining);
    if (this.#pending.size === 0) this.#emit({ type: 'office.drained' });
  }

  /** Afterwards events are ignored and no facts are reported. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending.onEmpty = () => {};
    this.#probes.close();
    this.#pending.close();
    this.#relaying.close();
    for (const { ack } of this.#tickets.values()) answerSafely(ack, [false, 'The office is closing']);
    this.#tickets.clear();
    this.#calls.close();
  }

  #joins(socket: string, payload: unknown, ack: Ack | undefined): void {
    const read = joinOffice.safeParse(payload);
    if (!read.success) return this.#badPayload(socket, events.joinOffice, read.error, ack);
    const { office_id: office, role, name } = read.data;
    const seat: SeatFacts = { office, role, name };
    const own = this.#seating.seatOf(socket)?.office === office ? 1 : 0;
    const failure =
      forbids(this.#sockets.get(socket) ?? {}, seat) ??
      this.#gate.join(socket, office, this.#seating.sizeOf(office) - own);
    if (failure) return this.#refuse(socket, events.joinOffice, failure, ack, seat);
    const ticket = this.#ticket(socket, ack, seat);
    const join = (): void => {
      if (this.#tickets.has(ticket)) this.#emit({ type: 'socket.joins', socket, ticket, seat });
    };
    const holder = this.#seating.holderOf(seat);
    const isHeld = holder !== undefined && holder !== socket;
    if (!isHeld || !mayTakeOver(this.#sockets.get(socket), this.#sockets.get(holder))) return join();
    // If the peer's old connection is dead, that would otherwise be noticed only after 45 s.
    this.#probes.ask(holder, (isAlive) => {
      if (!isAlive) this.#bury(holder);
      join();
    });
  }

  #bury(socket: string): void {
    this.closed(socket, 'it does not answer, and has come back over another connection');
    this.#wire.cut(socket);
  }

  #leaves(socket: string, payload: unknown, ack: Ack | undefined): void {
    const read = leaveOffice.safeParse(payload);
    if (!read.success) return this.#badPayload(socket, events.leaveOffice, read.error, ack);
    const ticket = this.#ticket(socket, ack);
    this.#emit({ type: 'socket.leaves', socket, ticket, office: read.data.office_id });
  }

  #badPayload(socket: string, event: string, error: z.ZodError, ack: Ack | undefined): void {
    this.#refuse(socket, event, badPayload(error, event), ack);
  }

  #ticket(socket: string, ack: Ack = silent, seat?: SeatFacts): string {
    const ticket = `t${++this.#lastTicket}`;
    this.#tickets.set(ticket, { socket, ack, ...(seat && { seat }) });
    return ticket;
  }

  #seat(socket: string, seat: SeatFacts): void {
    // Does nothing when the socket has closed while the machine decided; the machine gets that fact next.
    if (!this.#sockets.has(socket)) return;
    const current = this.#seating.seatOf(socket);
    // A repeated join must not disturb the pending calls.
    if (current && isSameSeat(current, seat)) return;
    this.#unseat(socket);
    this.#seating.seat(socket, seat);
  }

  #unseat(socket: string, gone?: string): void {
    const seat = this.#seating.unseat(socket);
    if (!seat) return;
    this.#pending.leave(socket, gone);
    this.#relaying.left(socket);
    this.cluster?.own.release(socket, seat);
  }

  #claim({ socket, ticket, seat }: Extract<OfficeCommand, { type: 'office.claim' }>): void {
    const own = this.cluster?.own;
    own?.claim(socket, seat, this.#seating.versionOf(socket), (text) => {
      if (!this.#closed && this.#sockets.has(socket))
        return this.#emit({ type: 'claim.settled', socket, ticket, seat, text });
      if (text === null) own.release(socket, seat);
    });
  }
}

/** Time in ms without a response after which a connection counts as dead; short, because a peer waits only 10 s for its join. */
const probeMs = 2_000;

class Probes {
  readonly #timers: Timers;
  readonly #ask: (socket: string, onAlive: () => void) => void;
  readonly #running = new Set<unknown>();

  constructor(timers: Timers, ask: (socket: string, onAlive: () => void) => void) {
    this.#timers = timers;
    this.#ask = ask;
  }
  ask(socket: string, then: (isAlive: boolean) => void): void {
    const timer: unknown = this.#timers.setTimer(() => told(false), probeMs);
    const told = (isAlive: boolean): void => {
      if (!this.#running.delete(timer)) return;
      this.#timers.clearTimer(timer);
      then(isAlive);
    };
    this.#running.add(timer);
    this.#ask(socket, () => told(true));
  }
  close(): void {
    for (const timer of this.#running) this.#timers.clearTimer(timer);
    this.#running.clear();
  }
}

/** Peers choose names and ids, so they may have any length. */
const mostChars = 200;
const shortOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, mostChars) : undefined;
const left: Fields = { outcome: 'unknown', message: 'The agent left before its call was answered' };
function endOf(answer: unknown): Fields {
  const { isError, meta, error } = fieldsOf(answer);
  const server = shortOf(fieldsOf(meta)['a2c_server']);
  // Only failures are read in full, because results may be large and an office relays many.
  if (isError !== true && error === undefined) return { outcome: 'succeeded', server };
  const read = readToolResult(answer);
  const failure = read.ok ? failureIn(read.result) : read.failure;
  const outcome = (read.ok ? reportIn(read.result)?.outcome : undefined) ?? 'failed';
  return { outcome, server, code: failure?.code, message: shortOf(failure?.message) };
}

/** Reports a call when it comes, and when it ends. */
function toldCall(tell: CallTold, office: string | undefined, payload: unknown): CallEnd {
  const { req_id, agent, computer, tool_name, timeout } = fieldsOf(payload);
  const call = { req_id: shortOf(req_id), agent: shortOf(agent), office };
  const asked = { computer: shortOf(computer), tool: shortOf(tool_name), timeout };
  tell('in', { event: events.toolCall, ...call, ...asked });
  return (answer) => tell('out', { ack: events.toolCall, ...call, ...(answer ? endOf(answer[0]) : left) });
}
