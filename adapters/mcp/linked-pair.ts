interface End {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}
/** Two ends of a connection inside this process, in the form of the MCP SDKs. Messages are kept until the other end starts. */
export function linkedPair(): readonly [End, End] {
  const ends: End[] = [];
  const waiting: (object[] | undefined)[] = [[], []];
  let isOpen = true;
  const deliver = (at: number, message: object): void => {
    const kept = waiting[at];
    if (kept) kept.push(message);
    else queueMicrotask(() => isOpen && ends[at]?.onmessage?.(message as never));
  };
  const endAt = (at: number): End => ({
    start: async () => {
      const kept = waiting[at] ?? [];
      waiting[at] = undefined;
      for (const message of kept) deliver(at, message);
    },
    send: async (message) => {
      if (!isOpen) throw new Error('The connection is closed');
      deliver(1 - at, message);
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      for (const end of ends) end.onclose?.();
    },
  });
  const pair = [endAt(0), endAt(1)] as const;
  ends.push(...pair);
  return pair;
}
