import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Give, Leaf, ProcessCommand, ProcessFact } from '../../machines/ports.ts';

/** The children that every world can start. */
export type ChildBehaviour =
  /** Ends with code 0 when its stdin ends. */
  | 'good'
  /** Takes no notice of the end of stdin; SIGTERM ends it. */
  | 'ignoresStdin'
  /** Only SIGKILL ends it. */
  | 'stubborn'
  /** Says "boom" on stderr and ends with code 7, soon and by itself. */
  | 'crashes'
  /** Its command, `no-such-command`, does not exist. */
  | 'missing'
  /** A shell, which SIGTERM ends, waits for a stubborn server in the same group. */
  | 'wrapped'
  /** A good child with a quiet grandchild in its group, which SIGTERM ends. */
  | 'leavesGrandchild';

export interface ContractChild extends Leaf<ProcessCommand> {
  /** Resolves when the child behaves as told (traps set, grandchild born); it never does for `missing`. */
  ready(): Promise<void>;
}
/** How the contract gets children and waits for them: real ones for an event, scripted ones by stepping a clock. */
export interface ProcessWorld {
  /** Opens the port under test on a child that behaves so. */
  open(behaviour: ChildBehaviour, give: Give<ProcessFact>): ContractChild;
  /** Resolves once it holds; looked at again whenever a fact was given. */
  until(holds: () => boolean): Promise<void>;
  /** Resolves when no process of any child lives and no fact can come any more. */
  settled(): Promise<void>;
  /** Children of which anything lives, as the ledger counts them. */
  alive(): number;
  /** Ends whatever a failed test left. */
  dispose(): Promise<void>;
}

type Fact<T extends ProcessFact['type']> = Extract<ProcessFact, { type: T }>;

/** One child with all the facts it gave. */
function observed(world: ProcessWorld, behaviour: ChildBehaviour) {
  const facts: ProcessFact[] = [];
  const child = world.open(behaviour, (fact) => facts.push(fact));
  const find = <T extends ProcessFact['type']>(type: T) =>
    facts.find((fact): fact is Fact<T> => fact.type === type);
  return {
    facts,
    types: () => facts.map(({ type }) => type),
    ready: () => child.ready(),
    close: () => child.close(),
    closeStdin: () => child.tell({ type: 'child.closeStdin' }),
    signal: (signal: 'SIGTERM' | 'SIGKILL') => child.tell({ type: 'child.signal', signal }),
    /** The first fact of this type, waited for if it has not come yet. */
    next: async <T extends ProcessFact['type']>(type: T): Promise<Fact<T>> => {
      await world.until(() => find(type) !== undefined);
      return find(type) as Fact<T>;
    },
  };
}
export type ObservedChild = ReturnType<typeof observed>;

/** What the chapters below share. */
interface Stage {
  readonly world: () => ProcessWorld;
  readonly open: (behaviour: ChildBehaviour) => ObservedChild;
  /** Opened, and behaving as told. */
  readonly running: (behaviour: ChildBehaviour) => Promise<ObservedChild>;
}

/** What every `process` port owes its machine. */
export function processContract(name: string, createWorld: () => ProcessWorld): void {
  describe(`process port: ${name}`, () => {
    let world: ProcessWorld;
    beforeEach(() => {
      world = createWorld();
    });
    afterEach(() => world.dispose());
    const open = (behaviour: ChildBehaviour): ObservedChild => observed(world, behaviour);
    const stage: Stage = {
      world: () => world,
      open,
      running: async (behaviour) => {
        const child = open(behaviour);
        await child.ready();
        return child;
      },
    };
    describe('a life', () => aLife(stage));
    describe('the ladder', () => theLadder(stage));
    describe('a command', () => aCommand(stage));
    describe('close is final', () => closing(stage));
  });
}

function aLife({ open, running, world }: Stage): void {
  it('starts with a pid and ends with code 0 when a good child loses its stdin', async () => {
    const child = await running('good');
    expect((await child.next('child.started')).pid).toBeGreaterThan(0);
    expect(world().alive()).toBe(1);
    child.closeStdin();
    expect(await child.next('child.exited')).toMatchObject({ code: 0, signal: null, left: 0 });
    await world().settled();
    expect(child.types()).toEqual(['child.started', 'child.exited']);
    expect(world().alive()).toBe(0);
  });

  it('that ends by itself is told with its code and the last words on stderr', async () => {
    const child = open('crashes');
    const end = await child.next('child.exited');
    expect(end).toMatchObject({ code: 7, signal: null, left: 0 });
    expect(end.stderr).toContain('boom');
    expect(child.types()).toEqual(['child.started', 'child.exited']);
  });

  it('that could not begin is told once, by a sentence that names the command', async () => {
    const child = open('missing');
    expect((await child.next('child.failed')).message).toContain('no-such-command');
    child.closeStdin();
    child.signal('SIGKILL');
    child.close();
    await world().settled();
    expect(child.types()).toEqual(['child.failed']);
    expect(world().alive()).toBe(0);
  });

  it('touches no other', async () => {
    const [one, other] = await Promise.all([running('good'), running('good')]);
    one.signal('SIGKILL');
    await one.next('child.exited');
    expect(other.types()).toEqual(['child.started']);
    expect(world().alive()).toBe(1);
    other.closeStdin();
    expect(await other.next('child.exited')).toMatchObject({ code: 0 });
  });
}

function theLadder({ running, world }: Stage): void {
  it('has SIGTERM for a child that takes no notice of the end of its stdin', async () => {
    const child = await running('ignoresStdin');
    child.closeStdin();
    child.signal('SIGTERM');
    expect(await child.next('child.exited')).toMatchObject({ code: null, signal: 'SIGTERM', left: 0 });
  });

  it('has SIGKILL for a child that takes no notice of SIGTERM', async () => {
    const child = await running('stubborn');
    child.closeStdin();
    child.signal('SIGTERM');
    child.signal('SIGKILL');
    expect(await child.next('child.exited')).toMatchObject({ code: null, signal: 'SIGKILL', left: 0 });
  });

  it('reaches a server behind its wrapper at once', async () => {
    const child = await running('wrapped');
    child.signal('SIGKILL');
    await child.next('child.exited');
    await world().settled();
    expect(world().alive()).toBe(0);
  });

  it('counts a server that outlives its wrapper, and reaches it with the next signal', async () => {
    const child = await running('wrapped');
    child.signal('SIGTERM');
    expect(await child.next('child.exited')).toMatchObject({ signal: 'SIGTERM', left: 1 });
    expect(world().alive()).toBe(1);
    child.signal('SIGKILL');
    await child.next('group.emptied');
    await world().settled();
    expect(child.types()).toEqual(['child.started', 'child.exited', 'group.emptied']);
    expect(world().alive()).toBe(0);
  });

  it('counts a grandchild that a good child leaves behind', async () => {
    const child = await running('leavesGrandchild');
    child.closeStdin();
    expect(await child.next('child.exited')).toMatchObject({ code: 0, left: 1 });
    child.signal('SIGTERM');
    await child.next('group.emptied');
    expect(world().alive()).toBe(0);
  });
}

function aCommand({ running, world }: Stage): void {
  it('to a child that has ended does nothing', async () => {
    const child = await running('good');
    child.closeStdin();
    await child.next('child.exited');
    child.closeStdin();
    child.signal('SIGTERM');
    child.signal('SIGKILL');
    await world().settled();
    expect(child.types()).toEqual(['child.started', 'child.exited']);
  });

  it('given twice works once', async () => {
    const child = await running('good');
    child.closeStdin();
    child.closeStdin();
    expect(await child.next('child.exited')).toMatchObject({ code: 0 });
  });
}

function closing({ open, running, world }: Stage): void {
  const all: readonly ChildBehaviour[] = [
    'good',
    'ignoresStdin',
    'stubborn',
    'crashes',
    'missing',
    'wrapped',
    'leavesGrandchild',
  ];
  it.each(all)('before anything was heard of a child: %s', async (behaviour) => {
    const child = open(behaviour);
    child.close();
    await world().settled();
    expect(child.facts).toEqual([]);
    expect(world().alive()).toBe(0);
  });

  it.each(['good', 'ignoresStdin', 'stubborn', 'wrapped', 'leavesGrandchild'] as const)(
    'for a running child: %s',
    async (behaviour) => {
      const child = await running(behaviour);
      child.close();
      child.close();
      child.closeStdin();
      child.signal('SIGTERM');
      await world().settled();
      expect(child.types()).toEqual(['child.started']);
      expect(world().alive()).toBe(0);
    },
  );

  it('for what an ended child left behind', async () => {
    const child = await running('wrapped');
    child.signal('SIGTERM');
    await child.next('child.exited');
    child.close();
    await world().settled();
    expect(child.types()).toEqual(['child.started', 'child.exited']);
    expect(world().alive()).toBe(0);
  });
}
