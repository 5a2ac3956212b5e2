import type { AnyStateMachine } from 'xstate';
import { redacted } from '../../machines/secrets/redaction.ts';

/** Its decision may differ from the recorded one. */
export interface RedactedRead {
  readonly machine: string;
  readonly guard: string;
  /** JSON pointer, such as `/event/params/token`. */
  readonly pointer: string;
}
type Kinds = Readonly<Record<string, AnyStateMachine>>;
type Guard = (args: Record<string, unknown>, params: unknown) => boolean;

/** Map and Date cannot be watched, because they are used by identity. */
const hasFields = (value: object): boolean =>
  Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

class Watch {
  readonly #tell: (pointer: string) => void;
  /** The same for the same object: guards compare objects and search in lists. */
  readonly #shown = new WeakMap<object, object>();
  constructor(tell: (pointer: string) => void) {
    this.#tell = tell;
  }
  show(value: unknown, pointer: string): unknown {
    if (typeof value === 'string' && redacted.test(value)) this.#tell(pointer);
    if (typeof value !== 'object' || value === null || !hasFields(value)) return value;
    const known = this.#shown.get(value);
    if (known) return known;
    // A proxy may not return another object for a frozen field.
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
