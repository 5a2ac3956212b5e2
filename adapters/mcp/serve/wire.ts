/** Its end is told once, whichever side ended it. */
export interface ClientWire {
  onmessage: (message: unknown) => void;
  onclose: () => void;
  /** Sends a message; `related` is the id of the client's request that it belongs to. */
  send(message: object, related?: string | number): void;
  close(): void;
}
export const newWire = (): ClientWire => ({
  onmessage: () => {},
  onclose: () => {},
  send: () => {},
  close: () => {},
});
