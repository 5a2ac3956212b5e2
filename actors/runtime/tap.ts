import type { InspectionEvent } from 'xstate';
import type { Looking, Microstep } from './stepper/stepper.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/**
 * The one place where anybody watches. An observer that throws would lose the event or kill the actor it looks
 * at, so each is guarded, and left out after its first error.
 */
export class Tap implements Looking {
  #observers: readonly Observer[] = [];
  readonly #onError: (error: unknown) => void;
  /** Kept in step with the observers so that the hot path asks one flag. */
  isWatched = false;
  isStepped = false;
  isInspected = false;
  /** Told when the first comes who inspects, and when the last has gone. */
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

/** Somebody who watches. It may throw: the tap leaves it out from then on. */
export interface Observer {
  record?(record: DirectoryRecord): void;
  step?(step: Microstep): void;
  /** Events that XState shows to `@statelyai/inspect`; with this method XState's own interpreter takes the steps. */
  inspect?(event: InspectionEvent): void;
}
