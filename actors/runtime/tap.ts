import type { InspectionEvent } from 'xstate';
import type { Looking, Microstep } from './stepper/stepper.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/**
 * Distributor of records, steps and inspection events to all observers. Each observer is guarded, because an error
 * would lose the event or stop the observed actor, and is removed after its first error.
 */
export class Tap implements Looking {
  #observers: readonly Observer[] = [];
  readonly #onError: (error: unknown) => void;
  /**
   * Flags that tell whether anybody observes; they are kept up to date so that frequent code checks only one flag.
   */
  isWatched = false;
  isStepped = false;
  isInspected = false;
  /** Called when the first observer with an inspector comes, and when the last has gone. */
  onInspected: (isInspected: boolean) => void = () => {};

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }
  add(observer: Observer): () => void {
    this.#observers = [...this.#observers, observer];
    this.#count();
    return () => {
      this.#remove(observer);
    };
  }
  record(record: DirectoryRecord): void {
    for (const observer of this.#observers)
      try {
        observer.record?.(record);
      } catch (error) {
        this.#drop(observer, error);
      }
  }
  readonly step = (step: Microstep): void => {
    for (const observer of this.#observers)
      try {
        observer.step?.(step);
      } catch (error) {
        this.#drop(observer, error);
      }
  };
  readonly inspect = (event: InspectionEvent): void => {
    for (const observer of this.#observers)
      try {
        observer.inspect?.(event);
      } catch (error) {
        this.#drop(observer, error);
      }
  };
  #drop(observer: Observer, error: unknown): void {
    this.#remove(observer);
    this.#onError(error);
  }
  #remove(observer: Observer): void {
    this.#observers = this.#observers.filter((each) => each !== observer);
    this.#count();
  }
  #count(): void {
    this.isWatched = this.#observers.length > 0;
    this.isStepped = this.#observers.some((o) => o.step);
    const isInspected = this.#observers.some((o) => o.inspect);
    if (isInspected === this.isInspected) return;
    this.isInspected = isInspected;
    this.onInspected(isInspected);
  }
}

/** Observer of a host. The tap removes an observer that throws. */
export interface Observer {
  record?(record: DirectoryRecord): void;
  step?(step: Microstep): void;
  /**
   * Takes events that XState shows to `@statelyai/inspect`; with this method the machines step in XState's own
   * interpreter.
   */
  inspect?(event: InspectionEvent): void;
}
