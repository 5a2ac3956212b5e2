import type { Row } from './trace-lines.ts';
import { nameOf, textOf } from './values.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** Messages on the wire of one client, link or seat, with their requests and askers. Pure functions. */

export interface MessageRow {
  /** Index of the trace record of this message. */
  readonly index: number;
  readonly t: number;
  readonly dir: 'in' | 'out';
  readonly isAnswer: boolean;
  /** Name of the method or the event; for an answer, the name in its request. */
  readonly name: string;
  readonly req: string;
  /** Milliseconds between request and answer; null when the message is a request, or its request was not seen. */
  readonly afterMs: number | null;
  /** Address of the actor that made the request; undefined when none in this trace did. */
  readonly by: string | undefined;
  readonly body: unknown;
  /** Number of characters cut off at the end of the message. */
  readonly cut: number;
}
interface Request {
  readonly t: number;
  readonly name: string;
  readonly by: string | undefined;
}
/** Tells whether a port instance belongs to an actor, in any incarnation of that actor. */
export const isOf = (actor: string, instance: string): boolean => {
  const name = nameOf(actor);
  return instance.startsWith(name) && /^[#/]/.test(instance.slice(name.length));
};
/** Returns the method and the asker when a record is a question to a session or a link; undefined for other records. */
const askOf = (row: Row): { readonly method: string; readonly by: string } | undefined => {
  const { type, method } = fieldsOf(row['ev']);
  return row.k === 'out' && type === 'ask' && typeof method === 'string'
    ? { method, by: textOf(row['a']) }
    : undefined;
};
const isAnswer = (row: Row): boolean =>
  row['via'] === 'mcp' ? row['name'] === undefined : fieldsOf(row['json'])['ack'] !== undefined;

/** Messages of one actor, extended as records are added; records of other actors are skipped quickly. */
export class Messages {
  readonly rows: MessageRow[] = [];
  readonly #actor: string;
  #until = 0;
  /** Requests by the id that their answers repeat. */
  readonly #requests = new Map<string, Request>();
  /** Questions of actors not yet sent as messages, in their order. */
  #asks: { readonly method: string; readonly by: string }[] = [];

  constructor(actor: string) {
    this.#actor = actor;
  }
  get actor(): string {
    return this.#actor;
  }
  read(rows: readonly Row[], end: number): readonly MessageRow[] {
    for (; this.#until < end; this.#until++) {
      const row = rows[this.#until];
      if (!row) continue;
      const ask = askOf(row);
      if (ask) this.#asks.push(ask);
      else if (row.k === 'frame' && isOf(this.#actor, textOf(row['a']))) this.#take(row, this.#until);
    }
    return this.rows;
  }
  #take(row: Row, index: number): void {
    const { dir, req, json, text, cut, t } = row;
    const answer = isAnswer(row);
    const isOut = dir === 'out';
    // Both sides number their requests, so the direction of an answer tells whose request it answers.
    const key = `${isOut === answer ? 'theirs' : 'ours'} ${textOf(req)}`;
    const request = answer ? this.#requests.get(key) : undefined;
    const name = request?.name ?? textOf(row['name']);
    const by = request?.by ?? (isOut && !answer ? this.#askerOf(name) : undefined);
    if (!answer && req !== undefined) this.#requests.set(key, { t, name, by });
    this.rows.push({
      index,
      t,
      dir: isOut ? 'out' : 'in',
      isAnswer: answer,
      name,
      req: textOf(req),
      afterMs: request ? t - request.t : null,
      by,
      body: json ?? text,
      cut: typeof cut === 'number' ? cut : 0,
    });
  }
  #askerOf(method: string): string | undefined {
    const at = this.#asks.findIndex((ask) => ask.method === method);
    const [ask] = at < 0 ? [] : this.#asks.splice(at, 1);
    // Drops old questions, which were sent elsewhere or refused before sending, so that the list cannot grow without
    // limit.
    if (this.#asks.length > 10_000) this.#asks = this.#asks.slice(-5_000);
    return ask?.by;
  }
}
