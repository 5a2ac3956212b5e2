import type { InspectionEvent } from 'xstate';
import type { Root } from './root.ts';
import type { Tap } from './tap.ts';

/** XState takes an observer of the first step as an option, and gives nothing to end it by: the tap ignores what comes. */
const sinceBirth = { unsubscribe: (): void => {} };

/** Of a machine that is about to be made: its first step is seen, too. */
export function inspectedFromBirth(root: Root, tap: Tap): (event: InspectionEvent) => void {
  root.inspection = sinceBirth;
  return tap.inspect;
}
/** Machines that run already are inspected as soon as somebody does so, and no more once nobody does. */
export function followTap(living: { readonly tap: Tap; readonly roots: Iterable<Root> }): void {
  const { tap } = living;
  tap.onInspected = (isInspected) => {
    for (const root of living.roots)
      if (isInspected) root.inspection ??= root.ref.system.inspect(tap.inspect);
      else if (root.inspection !== sinceBirth) root.inspection = void root.inspection?.unsubscribe();
  };
}
