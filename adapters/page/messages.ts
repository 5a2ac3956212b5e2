import type { Row } from './living.ts';
import { textOf } from './values.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** The messages on the wire of one client, link or seat, with what each belongs to. Pure. */

export interface MessageRow {
  /** Of its record. */
  readonly index: number;
  readonly t: number;
  readonly dir: 'in' | 'out';
  readonly isAnswer: boolean;
  /** Of the method or the event; of an answer that of its request. */
  readonly name: string;
  readonly req: string;
  /** ms since its request; null: it is none, or the request was not seen. */
  readonly afterMs: number | null;
  /** The actor that asked; undefined: nobody here did. */
  readonly by: string | undefined;
  readonly body: unknown;
  /** So many characters are missing. */
  readonly cut: number;
}
interface Request {
  readonly t: number;
  readonly name: string;
  readonly by: string | undefined;
}
const nameOf = (address: string): string => address.replace(/#\d+$/, '');
/** Whether a port instance belongs to an actor, whichever incarnation. */
export const isOf = (actor: string, instance: string): boolean => {
  const name = nameOf(actor);
  return instance.startsWith(name) && /^[#/]/.test(instance.slice(name.length));
};
/** Of a call or a list: what it asks of a session or a link. */
const askOf = (row: Row): { readonly method: string; readonly by: string } | undefined => {
  const { type, method } = fieldsOf(row['ev']);
  return row.k === 'out' && type === 'ask' && typeof method === 'string'
    ? { method, by: textOf(row['a']) }
    : undefined;
};
const isAnswer = (row: Row): boolean =>
  row['via'] === 'mcp' ? row['name'] === undefined : fieldsOf(row['json'])['ack'] !== undefined;

/** Grows with its records; those of other actors cost a look. */
export class Messages {
  readonly rows: MessageRow[] = [];
  readonly #actor: string;
  #until = 0;
  /** By what it has in common with its answer. */
  readonly #requests = new Map<string, Request>();
  /** Asked and not sent yet, in their order. */
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
    // Both sides number their requests: an answer goes the other way.
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
    // What was asked of others, or refused before it was sent, is not waited for for ever.
    if (this.#asks.length > 10_000) this.#asks = this.#asks.slice(-5_000);
    return ask?.by;
  }
}
