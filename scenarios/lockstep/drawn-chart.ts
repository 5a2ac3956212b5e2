import fc from 'fast-check';

/** Numbers name states, modulo their count. */
export type DrawnGuard =
  | { readonly is: 'even' | 'alias' | 'inline' | 'broken' }
  | { readonly is: 'above'; readonly least: number; readonly isComputed: boolean }
  | { readonly is: 'in'; readonly state: number; readonly isById: boolean }
  | { readonly is: 'not' | 'and' | 'or'; readonly of: readonly DrawnGuard[] };
export type DrawnAction =
  | { readonly does: 'log'; readonly by: number; readonly isComputed: boolean }
  | { readonly does: 'inline' | 'unknown' | 'bug' | 'say' | 'emit' | 'tell' }
  | {
      readonly does: 'assign';
      readonly by: number;
      readonly form: 'fields' | 'function' | 'named' | 'computed';
    }
  | { readonly does: 'raise'; readonly event: number; readonly form: 'plain' | 'computed' | 'later' }
  | { readonly does: 'cancel' }
  | { readonly does: 'stop'; readonly state: number }
  | { readonly does: 'enqueue'; readonly when: DrawnGuard; readonly actions: readonly DrawnAction[] };
export interface DrawnTransition {
  readonly targets: readonly number[];
  readonly guard: DrawnGuard | null;
  readonly actions: readonly DrawnAction[];
  readonly reenter: boolean;
}
export type DrawnInvoke = 'callback' | 'machine' | 'snapshots';
export interface DrawnState {
  readonly type: 'compound' | 'parallel' | 'final';
  readonly states: readonly DrawnState[];
  readonly initial: number;
  readonly begins: readonly DrawnAction[];
  readonly entry: readonly DrawnAction[];
  readonly exit: readonly DrawnAction[];
  readonly on: readonly (readonly [event: string, transitions: readonly DrawnTransition[]])[];
  /** May lead anywhere, as long as there is fuel. */
  readonly always: readonly DrawnTransition[];
  /** They change nothing, and so could be taken for ever. */
  readonly idles: readonly DrawnTransition[];
  readonly onDone: readonly DrawnTransition[];
  readonly after: readonly (readonly [delay: string, transition: DrawnTransition])[];
  readonly invoke: DrawnInvoke | null;
  readonly tags: readonly string[];
  readonly output: 'none' | 'plain' | 'computed';
}

const { constantFrom, record, constant, array, nat, boolean, oneof, tuple, option } = fc;
const small = nat({ max: 30 });
const few = <T>(of: fc.Arbitrary<T>, maxLength = 2): fc.Arbitrary<T[]> => array(of, { maxLength });
const seldom = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => option(of, { freq: 2 });

const { guard } = fc.letrec<{ guard: DrawnGuard }>((tie) => ({
  guard: oneof(
    { depthSize: 'small', withCrossShrink: true },
    record({ is: constantFrom('even', 'alias', 'inline', 'broken') }),
    record({ is: constant('above'), least: nat({ max: 6 }), isComputed: boolean() }),
    record({ is: constant('in'), state: small, isById: boolean() }),
    record({ is: constantFrom('not', 'and', 'or'), of: array(tie('guard'), { minLength: 1, maxLength: 2 }) }),
  ),
}));
const quiet = oneof(
  record({ does: constant('log'), by: nat({ max: 9 }), isComputed: boolean() }),
  record({ does: constantFrom('inline', 'unknown', 'say', 'emit') }),
) as fc.Arbitrary<DrawnAction>;
const { action } = fc.letrec<{ action: DrawnAction }>((tie) => ({
  action: oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: quiet, weight: 3 },
    {
      arbitrary: record({
        does: constant('assign'),
        by: nat({ max: 3 }),
        form: constantFrom('fields', 'function', 'named', 'computed'),
      }),
      weight: 3,
    },
    {
      arbitrary: record({
        does: constant('raise'),
        event: nat({ max: 1 }),
        form: constantFrom('plain', 'computed', 'later'),
      }),
      weight: 2,
    },
    record({ does: constantFrom('cancel', 'bug', 'tell', 'tell') }),
    record({ does: constant('stop'), state: small }),
    { arbitrary: record({ does: constant('enqueue'), when: guard, actions: few(tie('action')) }), weight: 2 },
  ),
}));
const transition: fc.Arbitrary<DrawnTransition> = record({
  targets: few(small),
  guard: seldom(guard),
  actions: few(action),
  reenter: boolean(),
});
const idle: fc.Arbitrary<DrawnTransition> = record({
  targets: constant([]),
  guard: seldom(guard),
  actions: few(quiet),
  reenter: constant(false),
});
/** Names of events that are sent from outside, raised, or sent by a child. */
export const events = ['e0', 'e1'] as const;
const heard = constantFrom(...events, ...events, ...events, 'r0', 'r1', 'd0');
/** Some look like numbers, because JavaScript orders such fields of an object first. */
export const keys = ['b', '10', 'a', '2'] as const;

export const { chart } = fc.letrec<{ state: DrawnState; chart: DrawnState; leaf: DrawnState }>((tie) => {
  const stateOf = (type: fc.Arbitrary<DrawnState['type']>, states: fc.Arbitrary<DrawnState[]>) =>
    record({
      type,
      states,
      initial: nat({ max: 3 }),
      begins: few(action, 1),
      entry: few(action),
      exit: few(action),
      on: few(tuple(heard, array(transition, { minLength: 1, maxLength: 2 })), 4),
      always: few(transition, 1),
      idles: few(idle, 1),
      onDone: few(transition, 1),
      after: few(tuple(constantFrom('1', '2', 'soon'), transition), 1),
      invoke: option(constantFrom('callback', 'machine', 'snapshots'), { freq: 3 }),
      tags: few(constantFrom('x', 'y')),
      output: constantFrom('none', 'plain', 'computed'),
    }) as fc.Arbitrary<DrawnState>;
  const inner = array(tie('state'), { minLength: 1, maxLength: 3 });
  return {
    leaf: stateOf(constantFrom('compound', 'compound', 'final'), constant([])),
    state: oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: tie('leaf'), weight: 3 },
      { arbitrary: stateOf(constantFrom('compound', 'parallel'), inner), weight: 2 },
    ),
    chart: stateOf(constantFrom('compound', 'parallel'), inner),
  };
});
