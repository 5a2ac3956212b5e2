import type { AnyStateMachine } from 'xstate';
import { redacted } from '../../machines/trace/index.ts';

/** A guard that looked at a value which was redacted: what it decided then may not be what it decides now. */
export interface RedactedRead {
  readonly machine: string;
  readonly guard: string;
  /** Place of the value: `/event/params/token`. */
  readonly pointer: string;
}
type Kinds = Readonly<Record<string, AnyStateMachine>>;
type Guard = (args: Record<string, unknown>, params: unknown) => boolean;

/** Tells whether a value has only fields, whose reading can be watched. A Map or a Date is known by its identity. */
const hasFields = (value: object): boolean =>
  Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** Shows values to one guard, and tells of every redacted text that it reads. */
class Watch {
  readonly #tell: (pointer: string) => void;
  /** The same object is shown as the same object: guards compare and look for members. */
  readonly #shown = new WeakMap<object, object>();
  constructor(tell: (pointer: string) => void) {
    this.#tell = tell;
  }
  show(value: unknown, pointer: string): unknown {
    if (typeof value === 'string' && redacted.test(value)) this.#tell(pointer);
    if (typeof value !== 'object' || value === null || !hasFields(value)) return value;
    const known = this.#shown.get(value);
    if (known) return known;
    // A proxy may not show another object for a field that is frozen.
    const shown = new Proxy(value, {
      get: (target, key) => {
        const inner: unknown = Reflect.get(target, key);
        const isFixed = Reflect.getOwnPropertyDescriptor(target, key)?.configurable === false;
        return typeof key === 'symbol' || (isFixed && typeof inner === 'object')
          ? inner
          : this.show(inner, `${pointer}/${key}`);
      },
    });
    this.#shown.set(value, shown);
    return shown;
  }
}

/** The same machines, whose guards tell what redacted values they look at. */
export function watchGuards(kinds: Kinds, tell: (read: RedactedRead) => void): Kinds {
  const watchedKinds = Object.entries(kinds).map(([kind, machine]) => {
    const guards = Object.entries(machine.implementations.guards as unknown as Record<string, Guard>).map(
      ([guard, run]): [string, Guard] => {
        const note = (pointer: string): void => tell({ machine: machine.id, guard, pointer });
        return [
          guard,
          ({ context, event, ...rest }, params) => {
            const watch = new Watch(note);
            const seen = { context: watch.show(context, '/context'), event: watch.show(event, '/event') };
            return run({ ...rest, ...seen }, watch.show(params, '/params'));
          },
        ];
      },
    );
    return [kind, machine.provide({ guards: Object.fromEntries(guards) } as never)] as const;
  });
  return Object.fromEntries(watchedKinds);
}
