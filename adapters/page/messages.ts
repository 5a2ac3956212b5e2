import { type Row, textOf } from '../../machines/trace/row.ts';
import type { Call } from '../../machines/incidents/calls.ts';
import { isBelow } from '../../machines/kernel/effects.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** Messages on the wire of clients, links and seats, each with its request and the actor that asked. Pure. */

export interface MessageRow {
  readonly id: number;
  /** Time of the message on the wall clock, in ms. */
  readonly at: number;
  readonly a: string;
  readonly via: 'mcp' | 'socket';
  readonly dir: 'in' | 'out';
  readonly isAnswer: boolean;
  readonly name: string;
  readonly req: string;
  /** Milliseconds between request and answer; null when the message is a request, or its request was not seen. */
  readonly afterMs: number | null;
  readonly by: string | undefined;
  readonly body: unknown;
  readonly cut: number;
}
/** Messages that a page can ask a host for: of an actor `a`, of a call actor `by`, with a `req_id`. */
export interface MessagesWanted {
  readonly a?: string;
  readonly by?: string;
  readonly req?: string;
}
const isAnswer = (row: Row): boolean =>
  row['via'] === 'mcp'
    ? row['name'] === undefined
    : fieldsOf(row['json'])['ack'] !== undefined || textOf(row['text']).startsWith('{"ack"');
const mostKept = 20_000;

interface Kept {
  readonly row: Row;
  readonly at: number;
}
export class Messages {
  #kept: Kept[] = [];
  readonly #ids = new Set<number>();
  #revision = 0;
  #shown: { readonly key: string; readonly rows: readonly MessageRow[] } | undefined;

  /** One that is known already is ignored. */
  add(row: Row, at: number): void {
    if (this.#ids.has(row.s)) return;
    this.#ids.add(row.s);
    this.#revision += 1;
    const last = this.#kept.at(-1);
    this.#kept.push({ row, at });
    if (last && last.row.s > row.s) this.#kept.sort((one, other) => one.row.s - other.row.s);
    if (this.#kept.length <= mostKept) return;
    for (const { row: old } of this.#kept.splice(0, mostKept / 2)) this.#ids.delete(old.s);
  }
  of(actor: string): readonly MessageRow[] {
    return this.#paired(`actor ${actor}`, ({ a }) => isBelow(actor, textOf(a)));
  }
  ofCall({ address, reqId }: Pick<Call, 'address' | 'reqId'>): readonly MessageRow[] {
    return this.#paired(
      `call ${address} ${reqId}`,
      ({ via, by, req }) => (by !== undefined && by === address) || (via === 'socket' && req === reqId),
    );
  }
  #paired(chosen: string, isChosen: (row: Row) => boolean): readonly MessageRow[] {
    const key = `${this.#revision} ${chosen}`;
    if (this.#shown?.key === key) return this.#shown.rows;
    const requests = new Map<string, { readonly at: number; readonly name: string; readonly by: unknown }>();
    const rows = this.#kept.flatMap(({ row, at }): MessageRow[] => {
      if (!isChosen(row)) return [];
      const { s, a, via, dir, req, json, text, cut } = row;
      const answer = isAnswer(row);
      // Both sides number their requests, so the direction of an answer tells whose request it answers.
      const side = (dir === 'out') === answer ? 'theirs' : 'ours';
      const asked = `${textOf(a)} ${side} ${textOf(req)} ${via === 'socket' ? textOf(row['name']) : ''}`;
      const request = answer ? requests.get(asked) : undefined;
      const name = request?.name ?? textOf(row['name']);
      const by = row['by'] ?? request?.by;
      if (!answer && req !== undefined) requests.set(asked, { at, name, by });
      return [
        {
          id: s,
          at,
          a: textOf(a),
          via: via === 'mcp' ? 'mcp' : 'socket',
          dir: dir === 'out' ? 'out' : 'in',
          isAnswer: answer,
          name,
          req: textOf(req),
          afterMs: request ? at - request.at : null,
          by: typeof by === 'string' ? by : undefined,
          body: json ?? textOf(text),
          cut: typeof cut === 'number' ? cut : 0,
        },
      ];
    });
    this.#shown = { key, rows };
    return rows;
  }
}
