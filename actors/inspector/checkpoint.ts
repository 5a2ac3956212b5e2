import type { Checkpoint, LivingRoot } from '../../machines/trace/record.ts';
import type { Directory, Root } from '../runtime/directory.ts';

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
export function livingRoot({
  id,
  kind,
  owner,
  openedAt,
  inStateSince,
  handles,
  ref,
  directory,
}: Root): LivingRoot {
  const now = directory.platform.now();
  const { value, context } = ref.getSnapshot() as { readonly value: unknown; readonly context: unknown };
  return {
    a: id,
    kind,
    owner: owner?.id ?? null,
    age: rounded(now - openedAt),
    inState: rounded(now - inStateSince),
    holds: [...handles].flatMap(({ what, name, due = now }) =>
      what === 'timer' || what === 'deadline'
        ? [{ held: what, n: name as number, left: rounded(Math.max(0, due - now)) }]
        : [],
    ),
    snapshot: { value, context },
  };
}
/** Allowed only between two inputs, when nothing is being processed. */
export const pictureOf = ({ roots }: Directory): Checkpoint => ({
  k: 'key',
  roots: [...roots].map(livingRoot),
});
