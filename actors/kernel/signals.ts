/** Callbacks of each signal of a host. A signal has one listener for all of them, however many calls share it. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `aborted` once when the signal aborts; the returned function removes the callback. A signal has one listener for all
 * of its callers, because Node warns of a leak from the eleventh listener on.
 */
export function onAbort(signal: AbortSignal, aborted: () => void): () => void {
  const callers = waiting.get(signal) ?? callersOf(signal);
  // Wraps the callback, so that one callback may be added twice.
  const caller = (): void => aborted();
  callers.add(caller);
  return () => {
    callers.delete(caller);
    if (callers.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', tellCallers);
  };
}
function callersOf(signal: AbortSignal): Set<() => void> {
  const callers = new Set<() => void>();
  waiting.set(signal, callers);
  signal.addEventListener('abort', tellCallers, { once: true });
  return callers;
}
function tellCallers(this: AbortSignal): void {
  const callers = waiting.get(this) ?? [];
  waiting.delete(this);
  for (const caller of callers) caller();
}

interface Closable {
  close(): Promise<unknown>;
}
/**
 * Opens something that a signal may cancel. When the signal aborts first, closes what was opened and rejects with the reason
 * of the signal.
 */
export async function unlessAborted<T extends Closable>(
  signal: AbortSignal | undefined,
  open: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const opened = await open().catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  if (!signal?.aborted) return opened;
  await opened.close();
  throw signal.reason;
}
/** Waits for a promise; rejects with the reason of the signal when that aborts first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  // Handles the rejection of a promise that nothing waits for any more.
  promise.catch(() => {});
  signal.throwIfAborted();
  let stop = (): void => {};
  const given = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => reject(signal.reason));
  });
  return Promise.race([promise, given]).finally(stop);
}

/** Returns the reason that a host gave for the end of its call with the signal; a standard text when it gave none. */
export function reasonOf(signal: AbortSignal): string {
  const { reason } = signal as { readonly reason: unknown };
  if (typeof reason === 'string' && reason !== '') return reason;
  if (!(reason instanceof Error) || reason.message === '') return cancelledByHost;
  return reason.name === 'AbortError' && reason instanceof DOMException ? cancelledByHost : reason.message;
}
export const cancelledByHost = 'cancelled by the host';
