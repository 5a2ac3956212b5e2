/** Messages that an office passes on between its members: questions with their answers, notices, progress. */
import { fillHandles, hasHandles } from './blob-fetch.ts';
import { apartFailure } from './nodes/seats.ts';
import { type Cluster, LookupOfAll } from './nodes/cluster.ts';
import type { LocalOffice } from './nodes/questions.ts';
import { internal, type Ack, type OfficeWatch, type OfficeWire } from './office-wire.ts';
import type { Grant } from '../../machines/office/rooms/entry.ts';
import type { Gate } from '../../machines/office/rooms/limits.ts';
import { Notices } from '../../machines/office/rooms/notices.ts';
import type { Pending, Timers } from '../../machines/office/rooms/pending.ts';
import { judge, type RelayTiming, type Verdict } from '../../machines/office/rooms/relay.ts';
import type { Lookup, Seating } from '../../machines/office/rooms/register.ts';
import { events, notices, type CarriedName, type NoticeName } from '../../machines/protocol/protocol.ts';
import { refusal } from '../../machines/protocol/messages/answers.ts';
import type { CancelReason } from '../../machines/protocol/messages/messages.ts';

/** Sends an error when the transport cannot send the answer, such as one nested too deep. Never throws. */
export function answerSafely(ack: Ack | undefined, args: readonly unknown[], event?: string): void {
  try {
    ack?.(...args);
  } catch {
    if (event !== undefined) answerSafely(ack, refusal(event, internal));
  }
}
/** Such a notice may be delayed and merged with later ones. */
const isUpdate = (event: NoticeName): boolean => event.startsWith('notify:update_');
interface Names {
  readonly agent: string;
  readonly computer: string;
}
export interface RelayingParts {
  readonly wire: OfficeWire;
  readonly timers: Timers;
  readonly gate: Gate;
  readonly pending: Pending;
  readonly seating: Seating;
  readonly timings: RelayTiming;
  readonly cluster: OfficeWatch['cluster'];
  readonly grantOf: (socket: string) => Grant;
  readonly parted: (socket: string) => void;
}

export class OfficeRelaying {
  readonly #wire: OfficeWire;
  readonly #pending: Pending;
  readonly #seating: Seating;
  readonly #limits: RelayTiming;
  readonly #grantOf: RelayingParts['grantOf'];
  readonly #lookup: Lookup;
  readonly #known: LookupOfAll['known'];
  readonly #gate: Gate;
  readonly #notices: Notices;
  readonly cluster: Cluster | undefined;
  #questions = 0;

  constructor({ wire, timers, gate, pending, seating, timings, cluster, grantOf, parted }: RelayingParts) {
    this.#wire = wire;
    this.#gate = gate;
    this.#pending = pending;
    this.#seating = seating;
    this.#limits = timings;
    this.#grantOf = grantOf;
    this.#notices = new Notices({
      timers,
      gate,
      deliver: (sockets, event, body) => answerSafely(() => wire.deliver(sockets, event, body), []),
      hearers: ({ office, from, event, body }) => {
        if (event === notices.updateToolList) this.#tellOld(office, body);
        if (seating.seatOf(from)) this.cluster?.broadcast(office, from, event, body);
        return this.#others(office, from);
      },
    });
    this.cluster = cluster?.(this.#forOthers(parted));
    const ofAll = this.cluster && new LookupOfAll(seating, this.cluster);
    this.#lookup = ofAll ?? seating;
    this.#known = (asker, payload, then) => (ofAll ? ofAll.known(asker, payload, then) : then(true));
  }

  /** For an unknown computer the register is asked first; later events of the socket wait. */
  received(socket: string, event: string, payload: unknown, ack: Ack | undefined): void {
    if (this.cluster?.isCurrent === false) return answerSafely(ack, refusal(event, apartFailure));
    const asker = this.#seating.seatOf(socket);
    this.#known(asker, payload, (isKnown) => {
      // Checks the lease of this node, which may have ended while the register was asked.
      if (!isKnown || this.cluster?.isCurrent === false)
        return answerSafely(ack, refusal(event, apartFailure));
      // The event was meant for the peers of its old room, and the socket may have changed its seat meanwhile.
      const isThere = this.#seating.seatOf(socket) === asker;
      const sender = isThere ? asker : undefined;
      const grant = this.#grantOf(socket);
      const verdict = judge(sender, event, payload, this.#lookup, this.#limits, grant);
      this.#perform(socket, event, verdict, ack);
    });
  }
  broadcast(office: string, except: string, event: NoticeName, body: object): void {
    this.#hear(office, except, event, body);
    this.cluster?.broadcast(office, except, event, body);
  }
  left(socket: string): void {
    this.#notices.drop(socket);
  }
  close(): void {
    this.#notices.close();
  }

  #perform(socket: string, event: string, verdict: Verdict, ack: Ack | undefined): void {
    if (verdict.type === 'answer') return answerSafely(ack, verdict.ack);
    if (verdict.type === 'broadcast') {
      this.#notices.tell({ ...verdict, from: socket });
      return answerSafely(ack, []);
    }
    if (verdict.type === 'cancel') return answerSafely(ack, this.#cancel(socket, event, verdict));
    if (verdict.type === 'notify') {
      this.#at(verdict.toSocket).notify(verdict.toSocket, verdict.event, verdict.body);
      return answerSafely(ack, []);
    }
    const { event: relayed, toSocket, payload, timeoutMs, reqId } = verdict;
    // Keeps only these names until the answer comes: the request may be a large part of a file.
    const { agent, computer } = payload as Names;
    const id = this.#pending.add({
      from: socket,
      to: toSocket,
      office: this.#seating.seatOf(socket)?.office ?? '',
      event,
      timeoutMs,
      reqId,
      onGivenUp: reqId === undefined ? undefined : this.#cancelling(toSocket, payload, reqId),
      onAnswer: (...answer) => this.#answerCall(socket, toSocket, event, { agent, computer }, answer, ack),
    });
    if (typeof id !== 'number') return answerSafely(ack, refusal(event, id));
    this.#send(id, toSocket, relayed, payload);
  }
  #cancel(socket: string, asked: string, verdict: Extract<Verdict, { type: 'cancel' }>): readonly unknown[] {
    const { office, event, reqId, body } = verdict;
    const computer = this.#pending.askedOf(socket, reqId);
    const tooMany =
      computer === undefined ? this.#gate.broadcast(office, this.#seating.sizeOf(office)) : undefined;
    if (tooMany) return refusal(asked, tooMany);
    if (computer === undefined) this.broadcast(office, socket, event, body);
    else this.#at(computer).notify(computer, event, body);
    return [];
  }
  #send(id: number, to: string, event: CarriedName, body: object): void {
    if (this.cluster?.isElsewhere(to) === true) return this.cluster.ask(id, to, event, body);
    try {
      this.#wire.send(to, event, body, (...answer) => void this.#pending.settle(id, ...answer));
    } catch {
      this.#pending.refuse(id, internal);
    }
  }

  /** Images are fetched first for an agent without a version, which cannot fetch them itself. */
  #answerCall(
    socket: string,
    computer: string,
    event: string,
    { agent, computer: name }: Names,
    answer: readonly unknown[],
    ack: Ack | undefined,
  ): void {
    const [result] = answer;
    const isKnowing = event !== events.toolCall || this.#seating.versionOf(socket) !== undefined;
    if (isKnowing || !hasHandles(result)) return answerSafely(ack, answer, event);
    fillHandles(
      result,
      (handle, offset, onAnswer) => {
        const req_id = `office-${++this.#questions}`;
        const question = { agent, req_id, computer: name, blob_handle: handle, chunk_offset: offset };
        this.#forward(socket, computer, events.getBlob, question, onAnswer);
      },
      (whole) => answerSafely(ack, [whole], event),
    );
  }

  /** Agents of versions 0.1 and 0.2 know only the notice of a changed config. */
  #tellOld(office: string, body: object): void {
    for (const { socket, seat } of this.#seating.members(office))
      if (seat.role === 'agent' && this.#seating.hearsConfigOnly(socket))
        this.#wire.notify(socket, notices.updateConfig, body);
  }

  #forward(from: string, to: string, event: CarriedName, body: object, onAnswer: Ack): void {
    const office = this.#seating.seatOf(from)?.office ?? '';
    const id = this.#pending.add({ from, to, office, event, timeoutMs: this.#limits.queryMs, onAnswer });
    if (typeof id !== 'number') return onAnswer(...refusal(event, id));
    this.#send(id, to, event, body);
  }

  #at(socket: string): Pick<OfficeWire, 'notify'> {
    return this.cluster?.isElsewhere(socket) === true ? this.cluster : this.#wire;
  }
  /** Called before the agent is told, so that a call that is not yet sent to the tool is stopped. */
  #cancelling(computer: string, call: object, req_id: string): (reason: CancelReason) => void {
    const { agent } = call as { readonly agent: string };
    const at = this.#at(computer);
    return (reason) => at.notify(computer, notices.toolCallCancelled, { agent, req_id, reason });
  }

  #hear(office: string, except: string, event: NoticeName, body: object): void {
    const sockets = this.#others(office, except);
    this.#gate.delivered(office, sockets.length);
    this.#wire.deliver(sockets, event, body);
  }
  #others(office: string, except: string): readonly string[] {
    return this.#seating
      .members(office)
      .map(({ socket }) => socket)
      .filter((socket) => socket !== except);
  }

  #forOthers(parted: RelayingParts['parted']): LocalOffice {
    const hear = (office: string, except: string, event: string, body: object): void => {
      const name = event as NoticeName;
      if (isUpdate(name)) this.#notices.tell({ office, from: except, event: name, body }, false);
      else this.#hear(office, except, name, body);
    };
    return {
      ask: (socket, event, body, onAck) => this.#wire.send(socket, event as CarriedName, body, onAck),
      isWaiting: (id) => this.#pending.has(id),
      notify: (socket, event, body) => this.#wire.notify(socket, event as NoticeName, body),
      broadcast: hear,
      answered: (id, ack) => void this.#pending.settle(id, ...ack),
      unasked: (id, failure) => this.#pending.refuse(id, failure),
      lost: (id, failure) => this.#pending.lose(id, failure),
      left: ({ socket, seat }, isLost) => {
        this.#pending.leave(socket);
        // Announces that the peers of a lost node have left, because that node cannot.
        if (isLost)
          hear(seat.office, '', notices.leaveOffice, { office_id: seat.office, [seat.role]: seat.name });
      },
      evict: (socket, failure) => {
        this.#wire.part(socket, failure);
        parted(socket);
      },
    };
  }
}
