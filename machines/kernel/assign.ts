import { assign as theirs } from 'xstate';

interface At {
  readonly event: unknown;
  readonly self: unknown;
  readonly collection: unknown;
}
type Assigner = (at: At & { readonly context: object }, params: unknown) => unknown;
type Assignment = Assigner | Readonly<Record<string, unknown>>;
interface Snapshot {
  readonly context: object;
}
/** As XState performs what it calls a builtin action: the snapshot before it, and the one after. */
interface Builtin {
  resolve?(
    scope: unknown,
    before: Snapshot,
    at: At,
    params: unknown,
  ): readonly [Snapshot, undefined, undefined];
}
const partOf = (assignment: Assignment, at: At & Snapshot, params: unknown): object => {
  if (typeof assignment === 'function') return assignment(at, params) as object;
  const part: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(assignment))
    part[key] = typeof value === 'function' ? (value as Assigner)(at, params) : value;
  return part;
};

/**
 * XState's `assign`, but for how the next context is made. XState copies with `Object.assign({}, …)`, which gives an object of
 * twenty fields or more the form of a hash table: its copy costs ten times as much, and so does everything that reads it.
 * A spread of a context whose fields are all there keeps its form. The rest of the snapshot stays what it was: an
 * assignment enters and leaves no state. There is no `spawn`: who needs another root opens one.
 */
export const assign = ((assignment: Assignment) => {
  const action = theirs(assignment as never) as Builtin;
  if (action.resolve)
    action.resolve = (_scope, before, { event, self, collection }, params) => {
      const { context } = before;
      const part = partOf(assignment, { context, event, self, collection }, params);
      return [{ ...before, context: { ...context, ...part } }, undefined, undefined];
    };
  return action;
}) as unknown as typeof theirs;
