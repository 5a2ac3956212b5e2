import type { EventObject } from 'xstate';
import type { Directory } from '../../actors/runtime/directory.ts';
import type { Platform } from '../../actors/runtime/platform.ts';
import { addressFor, type Address } from '../../machines/kernel/address.ts';
import { message } from '../../machines/kernel/effects.ts';
import { isAnswer, type PortInstance, type Ports } from '../../machines/kernel/ports.ts';
import type { DirectoryRecord, Thrown } from '../../machines/trace/index.ts';

export type Input = Extract<DirectoryRecord, { k: 'in' }>;
export type Draw = Extract<DirectoryRecord, { k: 'draw' }>;
type Emit = (ev?: EventObject) => void;

const errorOf = ({ name, message }: Thrown): Error => Object.assign(new Error(message), { name });

/**
 * A world in which nothing happens by itself: ports that say nothing, timers that never fire. It hands the trace
 * what each of them would have been told by, so that the trace is the only world there is.
 */
export class Inert implements Platform {
  readonly #gives = new Map<string, Emit>();
  readonly #outlets = new Map<Address, () => void>();
  #draws: Draw[] = [];
  /** Of the input in hand; for ages in what people look at. */
  time = 0;
  readonly ports: Ports;

  constructor() {
    const instance =
      (port: keyof Ports) =>
      (at: Address, _input: unknown, emit: (fact: never) => void): PortInstance => {
        const throwIfDrawn = (): void => this.#throwIfDrawn((d) => d.a === at && d.port === port);
        throwIfDrawn();
        this.#gives.set(`leaf ${at}`, emit as Emit);
        return { tell: throwIfDrawn, close() {} };
      };
    this.ports = {
      process: instance('process'),
      session: instance('session'),
      link: instance('link'),
      office: instance('office'),
      request: (from, { id }, emit) => {
        this.#gives.set(`ask ${from} ${id}`, emit as Emit);
        return () => {};
      },
    };
  }
  now(): number {
    return this.time;
  }
  /** The recorded random number; NaN when today's code needs more of them. */
  random(): number {
    return this.#draws[0]?.port === 'random' ? Number(this.#draws.shift()?.v ?? Number.NaN) : Number.NaN;
  }
  /** What was known when it was recorded; null, which is asked, when today's code wants to know more. */
  draw(_a: Address, port: string): unknown {
    return this.#draws[0]?.port === port ? (this.#draws.shift()?.v ?? null) : null;
  }
  setTimeout(fire: () => void, _ms: number, a: Address, n: number): unknown {
    this.#gives.set(`timer ${a} ${n}`, fire);
    return undefined;
  }
  clearTimeout(): void {}

  #throwIfDrawn(isIt: (draw: Draw) => boolean): void {
    const [next] = this.#draws;
    if (!next?.threw || !isIt(next)) return;
    this.#draws.shift();
    throw errorOf(next.threw);
  }
  /** `letters`: so many it has had already. */
  listen(directory: Directory, a: Address, letters = 0): void {
    let n = letters;
    const stop = directory.listen(a, () => {
      n += 1;
      this.#throwIfDrawn((d) => d.a === a && d.port === 'outlet' && d.n === n);
    });
    this.#outlets.set(a, stop);
  }
  /** Delivers the input, with the nondeterminism recorded while it was handled. False: nobody waits for it. */
  apply(directory: Directory, { via, a, ev, id, n, orElse }: Input, draws: readonly Draw[]): boolean {
    this.#draws = [...draws];
    if (via === 'start') {
      const { input, tell } = ev as unknown as { input: object; tell: Address };
      directory.start(a, input, tell);
    } else if (via === 'host')
      directory.send(a, ev as EventObject, orElse && message(addressFor(orElse.to), orElse.event));
    else if (via === 'abandon') directory.abandon(a);
    else if (via === 'outlet') {
      if (ev?.type === 'outlet.open') this.listen(directory, a);
      else this.#outlets.get(a)?.();
    } else {
      const key = via === 'leaf' ? `leaf ${a}` : via === 'ask' ? `ask ${a} ${id}` : `timer ${a} ${n}`;
      const emit = this.#gives.get(key);
      if (!emit) return false;
      if (via !== 'leaf' && (via !== 'ask' || isAnswer(ev?.type))) this.#gives.delete(key);
      emit(ev);
    }
    // Recorded values that this input did not use are not for another.
    this.#draws = [];
    return true;
  }
}
