import type { EventOptions, Telling } from './handles.ts';
import { queued, untilAborted, type Listeners } from '../kernel/listeners.ts';
import { mustBeEvent, type EventNames } from '../kernel/options.ts';

type Listener = (value: never) => void;
/** `added` is called after the first listener of an event was added, so that it hears what that causes. */
export function telling<Events extends object>(
  listeners: Listeners<Events>,
  names: EventNames<Events>,
  added: (name: keyof Events) => void = () => {},
): Telling<Events> {
  const add = (name: keyof Events, listener: Listener, isOnce: boolean): (() => void) => {
    mustBeEvent(name, names, listener);
    const stop = listeners.on(name, listener as (value: Events[keyof Events]) => void, isOnce);
    added(name);
    return stop;
  };
  const off = (name: keyof Events, listener: Listener): void => listeners.off(name, listener);
  const next = async (name: keyof Events, { signal }: EventOptions = {}): Promise<unknown> => {
    let stop = (): void => {};
    const value = new Promise<unknown>((resolve) => {
      stop = add(name, resolve, true);
    });
    return untilAborted(value, signal).finally(stop);
  };
  const values = (name: keyof Events, { signal }: EventOptions = {}): AsyncIterableIterator<unknown> =>
    queued((tell) => add(name, tell, false), signal);
  const isListener = (given: unknown): given is Listener => given !== undefined && typeof given !== 'object';
  return {
    on: (name: keyof Events, given?: Listener | EventOptions) =>
      isListener(given) ? add(name, given, false) : values(name, given),
    once: (name: keyof Events, given?: Listener | EventOptions) =>
      isListener(given) ? add(name, given, true) : next(name, given),
    off,
    removeListener: off,
  } as Telling<Events>;
}
