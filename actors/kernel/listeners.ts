import { textOf } from '../../machines/call/policy/index.ts';

/** Typed events for hosts. A listener that throws affects neither the runtime nor other listeners. */
export class Listeners<Events extends object> {
  readonly #byEvent = new Map<keyof Events, Set<(value: never) => void>>();

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void {
    const listeners = this.#byEvent.get(name) ?? new Set();
    this.#byEvent.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }
  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of [...(this.#byEvent.get(name) ?? [])])
      this.tell(name, listener as (value: Events[Name]) => unknown, value);
  }
  /** Calls one listener; an error thrown or rejected by it becomes a warning of the process. */
  tell<Name extends keyof Events>(
    name: Name,
    listener: (value: Events[Name]) => unknown,
    value: Events[Name],
  ): void {
    tellListener(String(name), listener, value);
  }
}

/** Calls a listener and turns its errors into warnings of the process; `threw` is called when it failed. */
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
/** Implements `Promise.withResolvers`, which Node 20 does not have. */
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
