import { systemClock } from '../../adapters/clock.ts';
import { asText, textOf } from '../../machines/text.ts';

/** A listener that throws affects neither the runtime nor other listeners. */
export class Listeners<Events extends object> {
  /** Listeners by event, each with true when it is for the next time only. */
  readonly #byEvent = new Map<keyof Events, Map<(value: never) => void, boolean>>();

  on<Name extends keyof Events>(
    name: Name,
    listener: (value: Events[Name]) => void,
    isOnce = false,
  ): () => void {
    const listeners = this.#byEvent.get(name) ?? new Map<(value: never) => void, boolean>();
    this.#byEvent.set(name, listeners.set(listener, isOnce));
    return () => this.off(name, listener);
  }
  off(name: keyof Events, listener: (value: never) => void): void {
    this.#byEvent.get(name)?.delete(listener);
  }
  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const [listener, isOnce] of [...(this.#byEvent.get(name) ?? [])]) {
      if (isOnce) this.off(name, listener);
      this.tell(name, listener as (value: Events[Name]) => unknown, value);
    }
  }
  /** An error thrown or rejected by it becomes a warning of the process. */
  tell<Name extends keyof Events>(
    name: Name,
    listener: (value: Events[Name]) => unknown,
    value: Events[Name],
  ): void {
    tellListener(String(name), listener, value);
  }
}

/** Escapes what servers and peers may have put into notices, because people read them; a listener that throws is a warning. */
export const escaping = <More extends readonly unknown[]>(
  tell: ((text: string, ...more: More) => void) | undefined,
): ((text: string, ...more: More) => void) | undefined =>
  tell && ((text, ...more) => tellListener('onNotice', (told) => tell(told, ...more), asText(text)));

/** Errors become warnings of the process; `threw` is called when the listener failed. */
export function tellListener<T>(
  name: string,
  listener: (value: T) => unknown,
  value: T,
  threw: () => void = () => {},
): void {
  const warn = (error: unknown): void => {
    threw();
    process.emitWarning(`a listener of '${name}' threw: ${textOf(error)}`, 'A2cListenerWarning');
  };
  try {
    const answer = listener(value);
    if (answer instanceof Promise) answer.catch(warn);
  } catch (error) {
    warn(error);
  }
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}
/** `Promise.withResolvers`, which Node 20 does not have. */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Prevents a warning about a rejection that is not awaited.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** One listener for all callers of a signal: Node warns of a leak from the eleventh listener on. */
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
/** When the signal aborts first, closes what was opened and rejects with the reason of the signal. */
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
/** Rejects with the reason of the signal when that aborts first. */
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

export function reasonOf(signal: AbortSignal): string {
  const { reason } = signal as { readonly reason: unknown };
  if (typeof reason === 'string' && reason !== '') return reason;
  if (!(reason instanceof Error) || reason.message === '') return cancelledByHost;
  return reason.name === 'AbortError' && reason instanceof DOMException ? cancelledByHost : reason.message;
}
export const isTimeOut = ({ reason }: AbortSignal): boolean =>
  (reason as { readonly name?: unknown } | null | undefined)?.name === 'TimeoutError';
export const cancelledByHost = 'cancelled by the host';

/** Iterates over what is told from now on, until the loop is left; throws the reason of the signal when that aborts. */
export function queued<T>(
  begin: (tell: (value: T) => void) => () => void,
  signal?: AbortSignal,
): AsyncIterableIterator<T> {
  signal?.throwIfAborted();
  const told: T[] = [];
  let more = deferred();
  const stop = begin((value) => {
    told.push(value);
    more.resolve();
  });
  return (async function* read() {
    try {
      for (;;) {
        for (let value = told.shift(); value !== undefined; value = told.shift()) yield value;
        more = deferred();
        await untilAborted(more.promise, signal);
      }
    } finally {
      stop();
    }
  })();
}

/** Waits for something that may never come. */
export class IdleWaits {
  readonly #waits = new Set<() => void>();

  /** Resolves when it is reached, at the latest after this time in ms. */
  async wait(mostMs: number): Promise<void> {
    const { promise, resolve } = deferred();
    const timer = systemClock.setTimeout(resolve, mostMs);
    this.#waits.add(resolve);
    await promise;
    systemClock.clearTimeout(timer);
    this.#waits.delete(resolve);
  }
  reached(): void {
    for (const resolve of this.#waits) resolve();
  }
}
