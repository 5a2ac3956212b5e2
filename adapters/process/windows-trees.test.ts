import { describe, expect, it } from 'vitest';
import type { SystemProgram } from './environment.ts';
import {
  createSystemTools,
  endTrees,
  livingOf,
  plantTree,
  timeOf,
  type ListedProcess,
  type Origin,
  type Run,
} from './windows-trees.ts';

const start = 1_700_000_000_000;
/** Entry of a process list whose process was created so many seconds after the start. */
const row = (ppid: number, pid: number, second = pid): ListedProcess => ({
  ppid,
  pid,
  created: start + second * 1_000,
});
const origin = (pid: number, second = pid, until?: number): Origin => ({
  pid,
  created: start + second * 1_000,
  until: until === undefined ? undefined : start + until * 1_000,
});
const pidsOf = (rows: readonly ListedProcess[]): number[] =>
  rows.map(({ pid }) => pid).toSorted((a, b) => a - b);

describe('the living processes of a tree', () => {
  it.each<[string, readonly Origin[], readonly ListedProcess[], readonly number[]]>([
    ['are found in any order', [origin(10)], [row(12, 13), row(10, 12), row(1, 10), row(1, 9)], [10, 12, 13]],
    ['are found when their root has ended', [origin(10)], [row(10, 11), row(11, 12)], [11, 12]],
    ['are found behind one that has ended and was known', [origin(10), origin(11)], [row(11, 12)], [12]],
    ['lack children of an earlier owner', [origin(10)], [row(1, 10), row(10, 7), row(10, 11)], [10, 11]],
    ['lack a later owner and its children', [origin(10)], [row(1, 10, 20), row(10, 30), row(10, 11)], [11]],
    ['lack what came after the root was last seen', [origin(10, 10, 20)], [row(10, 11), row(10, 30)], [11]],
    ['lack an owner of the pid from before a change of the clock', [origin(10, 200)], [row(1, 10, 100)], []],
    ['end although the list has a circle', [origin(10)], [row(11, 10), row(10, 11), row(0, 0)], [10, 11]],
  ])('%s', (_what, origins, rows, pids) => {
    expect(pidsOf(livingOf(origins, rows))).toEqual(pids);
  });
});

function machine({ refuses = false, untouchable = [] as readonly number[] } = {}) {
  let rows: readonly ListedProcess[] | undefined = [];
  const done: string[] = [];
  const end = (pid: number): void => void (rows = rows?.filter((each) => each.pid !== pid));
  const tools = {
    taskkill: async (args: readonly string[]) => {
      done.push(`taskkill ${args.join(' ')}`);
      return !refuses;
    },
    list: async () => rows,
    answers: (pid: number) => rows === undefined || rows.some((each) => each.pid === pid),
    kill: (pid: number) => {
      done.push(`kill ${pid}`);
      if (untouchable.includes(pid)) return false;
      end(pid);
      return true;
    },
  };
  return { done, tools, now: (next: readonly ListedProcess[] | undefined) => (rows = next), end };
}
const fresh = (ppid: number, pid: number): ListedProcess => ({ ppid, pid, created: Date.now() });
function ended(left: readonly ListedProcess[], untouchable: readonly number[] = []) {
  const { tools, now, done } = machine({ untouchable });
  const tree = plantTree(10, () => {}, tools);
  now(left);
  return { tree, done, looked: tree.rootEnded() };
}

describe('a tree on Windows', () => {
  it('is asked and then forced as a whole while its root lives', async () => {
    const { done, tools } = machine();
    const ended = new Promise<void>((resolve) => {
      const tree = plantTree(10, resolve, tools);
      tree.signal('SIGTERM');
      expect(tree.living()).toBe(1);
      tree.signal('SIGKILL');
    });
    await ended;
    expect(done).toEqual(['taskkill /T /PID 10', 'taskkill /T /F /PID 10']);
  });

  it.each([[false], [true]])(
    'loses all its processes, whether taskkill refuses or not: %s',
    async (refuses) => {
      const { done, tools, now, end } = machine({ refuses });
      now([fresh(1, 10), fresh(10, 11), fresh(11, 12), fresh(1, 13)]);
      await new Promise<void>((resolve) => {
        const tree = plantTree(
          10,
          () => {
            end(10);
            void tree.rootEnded().then(resolve);
          },
          tools,
        );
        tree.signal('SIGKILL');
      });
      expect(done).toEqual(['taskkill /T /F /PID 10', 'kill 11', 'kill 12']);
    },
  );

  it('counts what its root left, and ends that by force', async () => {
    const left = [fresh(10, 11), fresh(11, 12)];
    const { tree, done, looked } = ended(left);
    await looked;
    expect(tree.living()).toBe(2);
    expect(tree.remains().living).toEqual(
      left.map(({ pid, created }) => ({ pgid: pid, startTime: String(created) })),
    );
    tree.signal('SIGKILL');
    await expect.poll(() => tree.living()).toBe(0);
    expect(done).toEqual(['kill 11', 'kill 12']);
  });

  it('loses the rest all the same when its root ended before it could be forced', async () => {
    const { tree, done, looked } = ended([fresh(10, 11)]);
    tree.signal('SIGKILL');
    await looked;
    expect(done).toEqual(['kill 11']);
    expect(tree.living()).toBe(0);
  });

  it('does not wait for what the system refuses to end, and names it', async () => {
    const { tree, looked } = ended([fresh(10, 11), fresh(10, 12)], [11]);
    await looked;
    expect(tree.living()).toBe(2);
    tree.signal('SIGKILL');
    await expect.poll(() => tree.living()).toBe(0);
    expect(tree.remains()).toEqual({ living: [], refused: [11] });
  });

  it('loses at least its root where processes cannot be listed', async () => {
    const { tools, now } = machine({ refuses: true });
    now(undefined);
    const killed = new Promise<void>((resolve) => plantTree(10, resolve, tools).signal('SIGKILL'));
    await expect(killed).resolves.toBeUndefined();
  });
});

describe('the end of trees whose host is gone', () => {
  it('is that of all that descends from them, and of nothing else', async () => {
    const { done, tools, now } = machine();
    now([row(10, 11), row(11, 12), row(1, 13), row(1, 20)]);
    expect(await endTrees([origin(10), origin(20)], tools)).toMatchObject({
      ended: [{ pid: 11 }, { pid: 20 }, { pid: 12 }],
      left: [],
    });
    expect(done).toEqual(['kill 11', 'kill 20', 'kill 12']);
  });
  it('reaches what was started meanwhile', async () => {
    const { done, tools, now } = machine();
    now([row(10, 11)]);
    const kill = (pid: number): boolean => {
      tools.kill(pid);
      if (pid === 11) now([{ ppid: 11, pid: 12, created: Date.now() }]);
      return true;
    };
    await endTrees([origin(10)], { ...tools, kill });
    expect(done).toEqual(['kill 11', 'kill 12']);
  });
  it.each([
    [1, undefined, []],
    [3, [{ pid: 11 }], ['kill 11']],
  ])('needs lists: with %i tries, of which two fail, it is %j', async (tries, ended, does) => {
    const { done, tools, now } = machine();
    now([row(10, 11)]);
    const lists = [undefined, undefined];
    const list = async (): ReturnType<typeof tools.list> => (lists.length > 0 ? lists.pop() : tools.list());
    expect((await endTrees([origin(10)], { ...tools, list }, tries))?.ended).toEqual(
      ended?.map((each) => expect.objectContaining(each)),
    );
    expect(done).toEqual(does);
  });
  it('does not take place from inside of them', async () => {
    const { done, tools, now } = machine();
    now([row(10, 11), row(11, process.pid, 12)]);
    expect(await endTrees([origin(10)], tools)).toMatchObject({ ended: [] });
    expect(done).toEqual([]);
  });
});

describe('what Windows is asked of processes', () => {
  function machine(says: Readonly<Partial<Record<SystemProgram, string>>>, code = 0) {
    const ran: string[] = [];
    const run: Run = async (program) => {
      ran.push(program);
      const out = says[program];
      return out === undefined ? undefined : { code, out };
    };
    return { ran, tools: createSystemTools(run) };
  }
  it('is told by wmic, in columns with a head, and by PowerShell where there is no wmic', async () => {
    const created = Date.UTC(2026, 10, 26, 15, 59, 57, 497);
    const rows = [{ ppid: 777, pid: 7, created }];
    const old = machine({
      wmic: [
        'CreationDate               ParentProcessId  ProcessId  \r\r\n',
        '                           0                0          \r\r\n',
        '20261126165957.497000+060  777              7          \r\r\n',
      ].join(''),
    });
    expect([await old.tools.list(), old.ran]).toEqual([rows, ['wmic']]);
    const young = machine({ powershell: '134085779974970000 777 7\r\n' });
    expect([await young.tools.list(), young.ran]).toEqual([
      [{ ...rows[0], created: timeOf('134085779974970000') }],
      ['wmic', 'powershell'],
    ]);
  });
  it('has the times of both lists as one', () => {
    expect(timeOf('116444736000000000')).toBe(0);
    expect(timeOf('19700101000001.250000-090')).toBe(1_250 + 90 * 60_000);
  });
  it('is not known where neither answers', async () => {
    expect(await machine({}).tools.list()).toBeUndefined();
    expect(await machine({ wmic: 'No Instance(s) Available.' }).tools.list()).toBeUndefined();
  });
  it.each([
    [0, true],
    [128, true],
    [1, false],
    [255, false],
  ])('knows of a taskkill that ended with %i whether all is done: %s', async (code, isDone) => {
    expect(await machine({ taskkill: '' }, code).tools.taskkill(['/T'])).toBe(isDone);
    expect(await machine({}).tools.taskkill(['/T'])).toBe(false);
  });
  it('is read once for all who ask while it is read, and once more for those', async () => {
    const { ran, tools } = machine({ wmic: '20261126165957.497000+060 777 7' });
    const first = tools.list();
    await Promise.all([first, tools.list(), tools.list()]);
    expect(ran).toEqual(['wmic', 'wmic']);
  });
});
