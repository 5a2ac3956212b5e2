import { events } from '../../../../machines/protocol/events.ts';
import type { CableEnd } from './network.ts';

export interface Heard {
  readonly event: string;
  readonly body: unknown;
}
type Ack = (...args: unknown[]) => void;

/** Somebody on the wire who is none of ours: says what it likes, and answers what it is told to. */
export class Peer {
  readonly #end: CableEnd;
  readonly heard: Heard[] = [];
  /** Why its connection ended; empty while it stands. */
  readonly ended: string[] = [];

  /** `answers`: event → what it does with the body and the ack; what is not named is never answered. */
  constructor(end: CableEnd, answers: Readonly<Record<string, (body: unknown, ack: Ack) => void>> = {}) {
    this.#end = end;
    end.listen(
      (event, args) => {
        const last = args.at(-1);
        const ack = typeof last === 'function' ? (last as Ack) : (): void => {};
        this.heard.push({ event, body: args[0] });
        answers[event]?.(args[0], ack);
      },
      (reason) => this.ended.push(reason),
    );
  }
  /** The acks that came so far, filled in as they come. */
  ask(event: string, body: unknown): unknown[][] {
    const acks: unknown[][] = [];
    this.#end.emit(event, body, (...ack) => acks.push(ack));
    return acks;
  }
  say(event: string, body: unknown): void {
    this.#end.emit(event, body);
  }
  join(role: 'agent' | 'computer', name: string, office = 'o'): unknown[][] {
    return this.ask(events.joinOffice, { role, name, office_id: office });
  }
  leave(office = 'o'): unknown[][] {
    return this.ask(events.leaveOffice, { office_id: office });
  }
  close(): void {
    this.#end.close('client namespace disconnect');
  }
}
