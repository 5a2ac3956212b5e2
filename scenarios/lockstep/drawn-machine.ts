import {
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromCallback,
  log,
  not,
  or,
  raise,
  sendTo,
  stateIn,
  stopChild,
  type AnyStateMachine,
} from 'xstate';
import {
  keys,
  type DrawnAction,
  type DrawnGuard,
  type DrawnState,
  type DrawnTransition,
} from './drawn-chart.ts';

interface Context {
  readonly n: number;
  /** Eventless transitions left, so that none goes on for ever. */
  readonly fuel: number;
}
interface At {
  readonly context: Context;
  readonly event: { readonly type: string };
}
interface Placed {
  readonly drawn: DrawnState;
  readonly id: string;
  readonly key: string;
  readonly above: readonly Placed[];
  readonly below: readonly Placed[];
}
export type Journal = (what: string, more?: unknown) => void;

const child = createMachine({
  initial: 'on',
  output: ({ context }) => context,
  context: { of: 'child' },
  states: { on: { on: { told: 'heard' } }, heard: { on: { told: 'off' } }, off: { type: 'final' } },
});

class Drawing {
  readonly #all: Placed[] = [];
  readonly #input: number;
  readonly #journal: Journal;
  readonly #root: Placed;
  constructor(drawn: DrawnState, input: number, journal: Journal) {
    this.#input = input;
    this.#journal = journal;
    this.#root = this.#place(drawn, 'root', []);
  }
  #place(drawn: DrawnState, key: string, above: readonly Placed[]): Placed {
    const below: Placed[] = [];
    const placed: Placed = { drawn, id: `n${this.#all.length}`, key, above, below };
    this.#all.push(placed);
    drawn.states.forEach((each, n) => below.push(this.#place(each, keys[n] as string, [placed, ...above])));
    return placed;
  }
  #at(n: number): Placed {
    return this.#all[n % this.#all.length] as Placed;
  }
  /** Two can be entered together only in different regions of a parallel state. */
  #targets([first, second]: readonly number[]): string[] | undefined {
    if (first === undefined) return undefined;
    const one = this.#at(first);
    if (second === undefined) return [`#${one.id}`];
    const other = this.#at(second);
    const common = one.above.find((above) => other.above.includes(above));
    const isApart = common?.drawn.type === 'parallel' && !other.above.includes(one) && one !== other;
    return (isApart && !one.above.includes(other) ? [one, other] : [one]).map(({ id }) => `#${id}`);
  }
  #guard(drawn: DrawnGuard): unknown {
    if (drawn.is === 'inline') return ({ context }: At) => context.n % 3 > 0;
    if (drawn.is === 'above') {
      const { least } = drawn;
      return {
        type: 'above',
        params: drawn.isComputed ? ({ context }: At) => ({ least: context.fuel - least }) : { least },
      };
    }
    if (drawn.is === 'in') {
      const { id, above, key } = this.#at(drawn.state);
      const path = [key, ...above.map((each) => each.key)].toReversed().slice(1);
      const value = path.reduceRight<unknown>(
        (inner, each) => (inner === undefined ? each : { [each]: inner }),
        undefined,
      );
      return stateIn((drawn.isById ? `#${id}` : (value ?? {})) as never);
    }
    if (!('of' in drawn)) return drawn.is;
    const of = drawn.of.map((each) => this.#guard(each)) as never[];
    return drawn.is === 'not' ? not(of[0] as never) : drawn.is === 'and' ? and(of) : or(of);
  }
  #action(drawn: DrawnAction, where: Placed): unknown {
    const journal = this.#journal;
    switch (drawn.does) {
      case 'log': {
        const { by, isComputed } = drawn;
        return {
          type: 'note',
          params: isComputed ? ({ context, event }: At) => [context.n, event.type, by] : { by },
        };
      }
      case 'inline':
        return ({ context, event }: At) => journal('inline', [context.n, event.type]);
      case 'assign': {
        const { by, form } = drawn;
        if (form === 'fields') return assign({ n: ({ context }: At) => context.n + by });
        if (form === 'function') return assign(({ context }: At) => ({ n: context.n + by + 1 }));
        return {
          type: 'add',
          params: form === 'named' ? { by } : ({ context }: At) => ({ by: context.n % 3 }),
        };
      }
      case 'raise': {
        const event = { type: `r${drawn.event}` };
        if (drawn.form === 'later') return raise(event, { delay: 1, id: 'later' });
        return raise(drawn.form === 'plain' ? event : ({ context }: At) => ({ ...event, n: context.n }));
      }
      case 'say':
        return log(({ context }: At) => context.n);
      case 'emit':
        return emit(({ context }: At) => ({ type: 'emitted', n: context.n }));
      case 'cancel':
        return cancel('later');
      case 'tell': {
        const near = [where, ...where.above].find((each) => each.drawn.invoke);
        return near
          ? sendTo(`child of ${near.id}`, ({ context }: At) => ({ type: 'told', n: context.n }))
          : 'nobody is there';
      }
      case 'stop':
        return stopChild(`child of ${this.#at(drawn.state).id}`);
      case 'enqueue': {
        const actions = drawn.actions.map((each) => this.#action(each, where));
        const when = this.#guard(drawn.when);
        return enqueueActions(({ check, enqueue, context }) => {
          if (check(when as never)) enqueue.assign({ n: (context as Context).n + 1 });
          for (const each of actions) enqueue(each as never);
          if (check('even')) enqueue.raise({ type: 'r1' });
        });
      }
      case 'bug':
      case 'unknown':
        return drawn.does;
    }
  }
  #transition(
    { targets, guard, actions, reenter }: DrawnTransition,
    where: Placed,
    isBurning: boolean,
  ): object {
    const when = guard === null ? undefined : this.#guard(guard);
    const does = actions.map((each) => this.#action(each, where));
    const target = this.#targets(targets);
    return {
      ...(target && { target }),
      reenter,
      ...(isBurning
        ? {
            guard: when === undefined ? 'hasFuel' : and(['hasFuel', when as never]),
            actions: ['burn', ...does],
          }
        : { actions: does, ...(when !== undefined && { guard: when }) }),
    };
  }
  #state(where: Placed): object {
    const { drawn, id, below } = where;
    const { type, initial, output } = drawn;
    const burning = (all: readonly DrawnTransition[]): object[] =>
      all.map((each) => this.#transition(each, where, true));
    const acts = (all: readonly DrawnAction[]): unknown[] => all.map((each) => this.#action(each, where));
    const first = below[initial % below.length]?.key;
    const isCompound = below.length > 0 && type === 'compound';
    return {
      id,
      ...(type === 'compound' ? {} : { type }),
      ...(isCompound && {
        initial: drawn.begins.length > 0 ? { target: first, actions: acts(drawn.begins) } : first,
      }),
      ...(below.length > 0 && {
        states: Object.fromEntries(below.map((each) => [each.key, this.#state(each)])),
      }),
      entry: acts(drawn.entry),
      exit: acts(drawn.exit),
      on: Object.fromEntries(
        drawn.on.map(([event, all]) => [
          event,
          all.map((each) => this.#transition(each, where, !event.startsWith('e'))),
        ]),
      ),
      always: [...burning(drawn.always), ...drawn.idles.map((each) => this.#transition(each, where, false))],
      ...(drawn.onDone.length > 0 && { onDone: burning(drawn.onDone) }),
      after: Object.fromEntries(
        drawn.after.map(([delay, each]) => [delay, this.#transition(each, where, true)]),
      ),
      ...(drawn.invoke && {
        invoke: {
          id: `child of ${id}`,
          src: drawn.invoke === 'callback' ? 'callback' : 'child',
          input: ({ context }: At) => context.n,
          ...(drawn.invoke === 'snapshots' && { onSnapshot: burning(drawn.onDone) }),
          onDone: burning(drawn.onDone),
          ...(drawn.output !== 'none' && { onError: burning(drawn.onDone) }),
        },
      }),
      tags: drawn.tags,
      ...(output !== 'none' && {
        output: output === 'plain' ? { of: id } : ({ context }: At) => ({ id, context }),
      }),
    };
  }
  get machine(): AnyStateMachine {
    const journal = this.#journal;
    const config = {
      ...this.#state(this.#root),
      context:
        this.#input === 0
          ? { n: 0, fuel: 12 }
          : ({ input }: { input: number }): Context => {
              if (input === 9) throw new Error('a bad input');
              return { n: input, fuel: 12 };
            },
      output: ({ context, event }: At) => ({ context, event }),
    };
    const machine = createMachine(
      config as never,
      {
        guards: {
          even: ({ context }: At) => context.n % 2 === 0,
          alias: 'even',
          above: ({ context }: At, { least }: { least: number }) => context.n > least,
          broken: ({ context }: At) => {
            if (context.n % 11 === 10) throw new Error('a guard broke');
            return true;
          },
          hasFuel: ({ context }: At) => context.fuel > 0,
        },
        actions: {
          note: ({ context, event }: At, params: unknown) => journal('note', [context, event, params]),
          burn: assign({ fuel: ({ context }: At) => context.fuel - 1 }),
          add: assign(({ context }: At, { by }: { by: number }) => ({ n: context.n + by })),
          bug: ({ context }: At) => {
            if (context.n % 11 === 9) throw new Error('a bug');
          },
        },
        delays: { soon: ({ context }: At) => 1 + (context.n % 3) },
        actors: {
          child,
          callback: fromCallback(({ input, sendBack, receive }) => {
            journal('started', input);
            if (Number(input) % 11 === 8) throw new Error('it does not start');
            receive((event) => {
              journal('received', event);
              sendBack({ type: 'd0' });
            });
            return () => journal('ended', input);
          }),
        },
      } as never,
    );
    return machine as AnyStateMachine;
  }
}
export const machineOf = (drawn: DrawnState, input: number, journal: Journal): AnyStateMachine =>
  new Drawing(drawn, input, journal).machine;
