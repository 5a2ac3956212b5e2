import { fieldsOf } from '../../machines/protocol/json.ts';

/**
 * Callback for messages on a socket in both directions: `{event, args}` for an event, `{ack, req_id, args}` for an
 * answer, with the name of its event and the `req_id` that was asked with.
 */
export type SocketFrame = (dir: 'in' | 'out', message: object) => void;

/**
 * Reports an event and returns its arguments; an acknowledgement among them is wrapped, so that the answer is
 * reported, too. `dir`: direction of the event.
 */
export function heard<Args extends readonly unknown[]>(
  frame: SocketFrame | undefined,
  dir: 'in' | 'out',
  event: string,
  args: Args,
): Args {
  if (!frame) return args;
  const ack = args.at(-1);
  const isAsked = typeof ack === 'function';
  frame(dir, { event, args: isAsked ? args.slice(0, -1) : args });
  if (!isAsked) return args;
  const back = dir === 'in' ? 'out' : 'in';
  const { req_id } = fieldsOf(args[0]);
  const answered = (...answer: unknown[]): unknown => {
    frame(back, { ack: event, ...(req_id !== undefined && { req_id }), args: answer });
    return (ack as (...all: unknown[]) => unknown)(...answer);
  };
  return [...args.slice(0, -1), answered] as unknown as Args;
}
