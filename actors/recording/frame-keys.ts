const textIn = (message: unknown, key: string): string | undefined => {
  if (typeof message !== 'object' || message === null) return undefined;
  const value = (message as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};
/** What a message is called, and what an answer has in common with its request: of JSON-RPC, and of an event of a socket. */
export function keysOf(message: unknown): { readonly name?: string; readonly req?: string } {
  const name = textIn(message, 'method') ?? textIn(message, 'event') ?? textIn(message, 'ack');
  const args = (message as { readonly args?: readonly unknown[] } | null)?.args;
  const req = textIn(message, 'id') ?? textIn(args?.[0], 'req_id');
  return { ...(name !== undefined && { name }), ...(req !== undefined && { req }) };
}
