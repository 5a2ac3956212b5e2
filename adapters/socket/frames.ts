/** Hears what passes a socket, both ways: `{event, args}`, and of an answer `{ack, args}` with the event that it answers. */
export type SocketFrame = (dir: 'in' | 'out', message: object) => void;

/** The same arguments; of an ack among them, what is answered is heard, too. `dir`: the way of the event. */
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
  const answered = (...answer: unknown[]): unknown => {
    frame(back, { ack: event, args: answer });
    return (ack as (...all: unknown[]) => unknown)(...answer);
  };
  return [...args.slice(0, -1), answered] as unknown as Args;
}
