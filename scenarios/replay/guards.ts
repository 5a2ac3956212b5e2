import type { AnyStateMachine } from 'xstate';
import { redacted } from '../../machines/trace/index.ts';

/** A guard that looked at a value which was redacted: what it decided then may not be what it decides now. */
export interface RedactedRead {
  readonly machine: string;
  readonly guard: string;
  /** Where it stood: `/event/params/token`. */
  readonly pointer: string;
}
type Kinds = Readonly<Record<string, AnyStateMachine>>;
type Guard = (args: Record<string, unknown>, params: unknown) => boolean;

/** The value, telling of every redacted text that is read through it. */
function watched(value: unknown, pointer: string, tell: (pointer: string) => void): unknown {
  if (typeof value === 'string') {
    if (redacted.test(value)) tell(pointer);
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const inner: unknown = Reflect.get(target, key);
      return typeof key === 'symbol' ? inner : watched(inner, `${pointer}/${key}`, tell);
    },
  });
}

/** The same machines, whose guards tell what redacted values they look at. */
export function watchGuards(kinds: Kinds, tell: (read: RedactedRead) => void): Kinds {
  const watchedKinds = Object.entries(kinds).map(([kind, machine]) => {
    const guards = Object.entries(machine.implementations.guards as unknown as Record<string, Guard>).map(
      ([guard, run]): [string, Guard] => {
        const note = (pointer: string): void => tell({ machine: machine.id, guard, pointer });
        return [
          guard,
          ({ context, event, ...rest }, params) =>
            run(
              { ...rest, context: watched(context, '/context', note), event: watched(event, '/event', note) },
              watched(params, '/params', note),
            ),
        ];
      },
    );
    return [kind, machine.provide({ guards: Object.fromEntries(guards) } as never)] as const;
  });
  return Object.fromEntries(watchedKinds);
}
