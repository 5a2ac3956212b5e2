import { events } from '../../machines/protocol/protocol.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';
import type { OfficeMeter } from '../../machines/office/rooms/limits.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';

/** `{event, args}`, or `{ack, req_id, args}` for an answer, with the event and `req_id` of its question. */
export type SocketFrame = (dir: 'in' | 'out', message: object) => void;

/** Replaces the bytes of a part of a file by their number, because in a limited log they would displace all other messages. */
function shown(event: string, args: readonly unknown[]): readonly unknown[] {
  const [body, ...others] = args;
  if ((event !== events.getBlob && event !== events.putBlob) || !isObject(body)) return args;
  const { blob } = body;
  return typeof blob === 'string' ? [{ ...body, blob: Buffer.byteLength(blob, 'base64') }, ...others] : args;
}
/** An acknowledgement among the arguments is wrapped, so that the answer is reported, too. */
export function observed<Args extends readonly unknown[]>(
  frame: SocketFrame | undefined,
  dir: 'in' | 'out',
  event: string,
  args: Args,
): Args {
  if (!frame) return args;
  const ack = args.at(-1);
  const isAsked = typeof ack === 'function';
  frame(dir, { event, args: shown(event, isAsked ? args.slice(0, -1) : args) });
  if (!isAsked) return args;
  const back = dir === 'in' ? 'out' : 'in';
  const { req_id } = fieldsOf(args[0]);
  const answered = (...answer: unknown[]): unknown => {
    frame(back, { ack: event, ...(req_id !== undefined && { req_id }), args: shown(event, answer) });
    return (ack as (...all: unknown[]) => unknown)(...answer);
  };
  return [...args.slice(0, -1), answered] as unknown as Args;
}

function codeOf(answer: unknown): number | undefined {
  // Reads the answer `false` as the refusal of a join or leave.
  if (answer === false) return wireCodes.conflict;
  const { error, structuredContent, isError } = fieldsOf(answer);
  const { code } = fieldsOf(error ?? fieldsOf(structuredContent).error);
  if (typeof code === 'number' && Object.values<number>(wireCodes).includes(code)) return code;
  return isError === true || error !== undefined ? wireCodes.toolFailed : undefined;
}

export function metered<Args extends readonly unknown[]>(
  meter: OfficeMeter | undefined,
  event: string,
  args: Args,
): Args {
  if (!meter) return args;
  meter.received(event);
  const ack = args.at(-1);
  if (typeof ack !== 'function') return args;
  const began = performance.now();
  const answered = (...answer: unknown[]): unknown => {
    meter.answered(event, codeOf(answer[0]), (performance.now() - began) / 1_000);
    return (ack as (...all: unknown[]) => unknown)(...answer);
  };
  return [...args.slice(0, -1), answered] as unknown as Args;
}
