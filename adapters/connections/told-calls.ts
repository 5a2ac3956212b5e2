import { events } from '../../machines/protocol/events.ts';
import { failureIn, readToolResult, reportIn } from '../../machines/protocol/reading.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import type { Ack, CallTold } from './office-wire.ts';

/** Longest name or id that is told; peers choose them, so they may be of any length. */
const mostChars = 200;
const shortOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, mostChars) : undefined;
const left: Fields = { outcome: 'unknown', message: 'The agent left before its call was answered' };
/** Describes the end of a call without its result: outcome, server, and the failure if there is one. */
function endOf(answer: unknown): Fields {
  const { isError, meta, error } = fieldsOf(answer);
  const server = shortOf(fieldsOf(meta)['a2c_server']);
  // Reads only failures in full, because results may be large and an office relays many.
  if (isError !== true && error === undefined) return { outcome: 'succeeded', server };
  const read = readToolResult(answer);
  const failure = read.ok ? failureIn(read.result) : read.failure;
  const outcome = (read.ok ? reportIn(read.result)?.outcome : undefined) ?? 'failed';
  return { outcome, server, code: failure?.code, message: shortOf(failure?.message) };
}

/** Calls that an office relays, told when they come and when they are answered. Each is told to end exactly once. */
export class ToldCalls {
  readonly #tell: CallTold;
  readonly #open = new Map<string, Set<Fields>>();

  constructor(tell: CallTold) {
    this.#tell = tell;
  }
  /** Tells a call of a connection; the returned ack also tells its end. */
  arrived(connection: string, office: string | undefined, payload: unknown, ack: Ack | undefined): Ack {
    const { req_id, agent, computer, tool_name, timeout } = fieldsOf(payload);
    const call = { req_id: shortOf(req_id), agent: shortOf(agent), office };
    const open = this.#open.get(connection) ?? new Set<Fields>();
    this.#open.set(connection, open.add(call));
    const asked = { computer: shortOf(computer), tool: shortOf(tool_name), timeout };
    this.#tell('in', { event: events.toolCall, ...call, ...asked });
    return (...answer) => {
      ack?.(...answer);
      if (!open.delete(call)) return;
      if (open.size === 0) this.#open.delete(connection);
      this.#tell('out', { ack: events.toolCall, ...call, ...endOf(answer[0]) });
    };
  }
  /** Tells the end of the calls of a connection that is gone, which get no answer. */
  left(connection: string): void {
    for (const call of this.#open.get(connection) ?? [])
      this.#tell('out', { ack: events.toolCall, ...call, ...left });
    this.#open.get(connection)?.clear();
    this.#open.delete(connection);
  }
}
