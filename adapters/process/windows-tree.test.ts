import { describe, expect, it } from 'vitest';
import { createForest, descendantsOf, type Row } from './local-launcher.ts';

const row = (ppid: number, pid: number): Row => ({ ppid, pid });
const nobody = new Set<string>();

/** Fake machine whose processes the test sets; `taskkill` only records its arguments. */
function machine(first: readonly Row[]) {
  let rows = first;
  const killed: string[] = [];
  let hasTaskkill = true;
  const forest = createForest({
    taskkill: async (args) => {
      killed.push(args.join(' '));
      return hasTaskkill;
    },
    list: async () => rows,
    answers: (pid) => rows.some((each) => each.pid === pid),
  });
  return {
    killed,
    forest,
    now: (...next: Row[]) => (rows = next),
    withoutTaskkill: () => (hasTaskkill = false),
    /** Ends the root of a planted tree, so that the forest reads the list of processes. */
    seen: () => forest.plant(1, () => {}).rootEnded(),
  };
}

describe('who descends from a process', () => {
  it('is found over generations, in any order of the list', () => {
    expect(descendantsOf(10, [row(12, 13), row(10, 12), row(1, 10), row(10, 11), row(1, 2)], nobody)).toEqual(
      [12, 11, 13],
    );
  });

  it('is nobody who was there before and names a parent whose number came back', () => {
    expect(descendantsOf(10, [row(10, 11), row(11, 12), row(10, 13)], new Set(['10 11']))).toEqual([13]);
  });

  it('ends with itself, although the list has a circle', () => {
    expect(descendantsOf(10, [row(10, 11), row(11, 10), row(0, 0)], nobody)).toEqual([11]);
  });
});

describe('a tree on Windows', () => {
  it('is asked and then forced as a whole while its root lives', () => {
    const { killed, forest } = machine([row(1, 10)]);
    const tree = forest.plant(10, () => {});
    tree.signal('SIGTERM');
    tree.signal('SIGKILL');
    expect(killed).toEqual(['/T /PID 10', '/T /F /PID 10']);
    expect(tree.living()).toBe(1);
  });

  it('counts what its root left, and reaches it by its own numbers', async () => {
    const { killed, forest, now, seen } = machine([row(1, 2)]);
    await seen();
    const tree = forest.plant(10, () => {});
    now(row(1, 2), row(10, 11), row(11, 12));
    await tree.rootEnded();
    expect(tree.living()).toBe(2);
    tree.signal('SIGKILL');
    expect(killed).toEqual(['/T /F /PID 11 /PID 12']);
    now(row(1, 2));
    expect(tree.living()).toBe(0);
  });

  it('that was signalled while it was looked at what is left reaches that, too', async () => {
    const { killed, forest, now, seen } = machine([]);
    await seen();
    const tree = forest.plant(10, () => {});
    now(row(10, 11));
    const looked = tree.rootEnded();
    tree.signal('SIGKILL');
    expect(killed).toEqual([]);
    await looked;
    expect(killed).toEqual(['/T /F /PID 11']);
  });

  it('whose root ended by itself before it could be killed loses the rest all the same', async () => {
    const { killed, forest, now, seen } = machine([]);
    await seen();
    const tree = forest.plant(10, () => {});
    tree.signal('SIGKILL');
    now(row(10, 11));
    await tree.rootEnded();
    expect(killed).toEqual(['/T /F /PID 10', '/T /F /PID 11']);
  });

  it('says that something is left, and does not touch it, where nobody knows who was there before', async () => {
    const { killed, forest, now } = machine([]);
    const tree = forest.plant(10, () => {});
    now(row(10, 11));
    await tree.rootEnded();
    tree.signal('SIGKILL');
    expect(tree.living()).toBe(1);
    expect(killed).toEqual([]);
  });

  it('has nothing to do with the children of a stranger who was given its number', async () => {
    const { killed, forest, now, seen } = machine([]);
    await seen();
    const tree = forest.plant(10, () => {});
    now(row(1, 10), row(10, 11));
    await tree.rootEnded();
    tree.signal('SIGKILL');
    expect(tree.living()).toBe(0);
    expect(killed).toEqual([]);
  });

  it('loses at least its root where there is no taskkill', async () => {
    const { forest, withoutTaskkill } = machine([]);
    withoutTaskkill();
    const killedRoot = new Promise<void>((resolve) => {
      const tree = forest.plant(10, resolve);
      tree.signal('SIGTERM');
      tree.signal('SIGKILL');
    });
    await expect(killedRoot).resolves.toBeUndefined();
  });
});
