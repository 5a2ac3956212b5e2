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
/** Wraps an acknowledgement among the arguments, so that `told` gets the answer first. */
function withAnswer<Args extends readonly unknown[]>(
  args: Args,
  told: (answer: readonly unknown[]) => void,
): Args {
  const ack = args.at(-1);
  if (typeof ack !== 'function') return args;
  const answered = (...answer: unknown[]): unknown => {
    told(answer);
    return (ack as (...all: unknown[]) => unknown)(...answer);
  };
  return [...args.slice(0, -1), answered] as unknown as Args;
}
export function observed<Args extends readonly unknown[]>(
  frame: SocketFrame | undefined,
  dir: 'in' | 'out',
  event: string,
  args: Args,
): Args {
  if (!frame) return args;
  frame(dir, { event, args: shown(event, typeof args.at(-1) === 'function' ? args.slice(0, -1) : args) });
  const back = dir === 'in' ? 'out' : 'in';
  const { req_id } = fieldsOf(args[0]);
  return withAnswer(args, (answer) => {
    frame(back, { ack: event, ...(req_id !== undefined && { req_id }), args: shown(event, answer) });
  });
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
  const began = performance.now();
  return withAnswer(args, (answer) => {
    meter.answered(event, codeOf(answer[0]), (performance.now() - began) / 1_000);
  });
}
