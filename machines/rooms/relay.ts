import type { z } from 'zod';
import type { SeatFacts } from '../ports.ts';
import { timing, type Timing } from '../timing.ts';
import { badPayload, refusal } from '../wire/answers.ts';
import { builtEvents, events, isKnownEvent, notices } from '../wire/events.ts';
import { type Failure, wireCodes } from '../wire/failure.ts';
import * as messages from '../wire/messages.ts';
import { toTimeoutMs } from '../wire/protocol.ts';
import type { Lookup } from './seating.ts';

/** What an office does with one event of one of its sockets. */
export type Verdict =
  | {
      readonly type: 'forward';
      readonly toSocket: string;
      readonly payload: object;
      /** How long the office waits for the answer; 0 = without limit. */
      readonly timeoutMs: number;
      /** Set where a second question with the same id must not run beside the first. */
      readonly reqId?: string;
    }
  | {
      readonly type: 'broadcast';
      readonly office: string;
      readonly event: string;
      readonly body: object;
    }
  /** The arguments of the ack. */
  | { readonly type: 'answer'; readonly ack: readonly unknown[] };

export type RelayTiming = Pick<Timing, 'relayMarginMs' | 'queryMs'>;

const no = (event: string, code: Failure['code'], message: string, details?: object): Verdict => ({
  type: 'answer',
  ack: refusal(event, { code, message, ...(details && { details: { ...details } }) }),
});
const forbidden = (event: string, message: string): Verdict => no(event, wireCodes.forbidden, message);

type Checked<T> = { readonly data: T } | { readonly verdict: Verdict };
function check<T>(schema: z.ZodType<T>, event: string, payload: unknown): Checked<T> {
  const read = schema.safeParse(payload);
  if (read.success) return { data: read.data };
  return { verdict: { type: 'answer', ack: refusal(event, badPayload(read.error, event)) } };
}

interface Case {
  readonly sender: SeatFacts;
  readonly event: string;
  readonly payload: unknown;
  readonly lookup: Lookup;
  readonly limits: RelayTiming;
}

/** `client:*`: the target is looked up in the sender's own office only, and learns the sender's registered name. */
function forward<T extends { agent: string; computer: string }>(
  { sender, event, payload, lookup }: Case,
  schema: z.ZodType<T>,
  waits: (question: T) => { timeoutMs: number; reqId?: string },
): Verdict {
  if (sender.role !== 'agent') return forbidden(event, `Only an agent may send ${event}`);
  const checked = check(schema, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { data } = checked;
  const toSocket = lookup.computer(sender.office, data.computer);
  if (toSocket === undefined)
    return no(event, wireCodes.notFound, `Computer '${data.computer}' is not in this office`, {
      reason: 'unknown',
      computer: data.computer,
    });
  const named = data.agent === sender.name ? data : { ...data, agent: sender.name };
  return { type: 'forward', toSocket, payload: named, ...waits(data) };
}

function listRoom({ sender, event, payload, lookup }: Case): Verdict {
  const checked = check(messages.listRoom, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { office_id: office, req_id } = checked.data;
  if (office !== sender.office) return forbidden(event, 'Only the own office can be listed');
  const sessions = lookup
    .members(office)
    .map(({ socket, seat }) => ({ sid: socket, name: seat.name, role: seat.role, office_id: office }));
  return { type: 'answer', ack: [{ sessions, req_id }] };
}

function updateToolList({ sender, event, payload }: Case): Verdict {
  if (sender.role !== 'computer') return forbidden(event, `Only a computer may send ${event}`);
  const checked = check(messages.updateToolList, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const body = { computer: sender.name };
  return { type: 'broadcast', office: sender.office, event: notices.updateToolList, body };
}

function cancelToolCall({ sender, event, payload }: Case): Verdict {
  if (sender.role !== 'agent') return forbidden(event, `Only an agent may send ${event}`);
  const checked = check(messages.toolCallCancel, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { agent, req_id } = checked.data;
  if (agent !== sender.name)
    return forbidden(event, 'A call can be cancelled by the agent that made it only');
  return {
    type: 'broadcast',
    office: sender.office,
    event: notices.toolCallCancelled,
    body: { agent, req_id },
  };
}

/**
 * The verdict on one event; join and leave are not its business. No name in a payload is believed: notices carry
 * the registered name, a cancel under another name is refused, and nothing crosses the sender's office
 * (a2c-wire §7.1, §8.3). An event that asks for no ack gets none, so a refusal of it is silence.
 */
export function judge(
  sender: SeatFacts | undefined,
  event: string,
  payload: unknown,
  lookup: Lookup,
  limits: RelayTiming = timing,
): Verdict {
  if (event.startsWith('notify:')) return forbidden(event, 'Only an office sends notify:*');
  if (!isKnownEvent(event)) return no(event, wireCodes.notBuilt, `Unknown event: ${event.slice(0, 80)}`);
  if (!builtEvents.has(event))
    return no(event, wireCodes.notBuilt, `This office does not answer ${event} yet`);
  if (!sender) return forbidden(event, 'Join an office first');
  const one: Case = { sender, event, payload, lookup, limits };
  switch (event) {
    case events.toolCall:
      return forward(one, messages.toolCall, ({ timeout, req_id: reqId }) => ({
        timeoutMs: timeout === 0 ? 0 : toTimeoutMs(timeout) + limits.relayMarginMs,
        reqId,
      }));
    case events.getTools:
      return forward(one, messages.getTools, () => ({ timeoutMs: limits.queryMs }));
    case events.listRoom:
      return listRoom(one);
    case events.updateToolList:
      return updateToolList(one);
    case events.cancelToolCall:
      return cancelToolCall(one);
    default:
      return no(event, wireCodes.internal, `No rule for ${event}`);
  }
}
