import assert from 'node:assert/strict';
import type { Emit, PortInstance, ProcessCommand, ProcessFact } from '../../../machines/kernel/ports.ts';
import type { Rule } from '../contract.ts';

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
  /** The command, `no-such-command`, does not exist. */
  | 'missing'
  /** A shell, which SIGTERM ends, waits for a stubborn server in the same group. */
  | 'wrapped'
  /** A good child with a quiet grandchild in its group, which SIGTERM ends. */
  | 'leavesGrandchild';

/** One child behind the port under test. */
export interface ContractChild extends PortInstance<ProcessCommand> {
  /** Resolves when the child behaves as told (traps set, grandchild born); it never does for `missing`. */
  ready(): Promise<void>;
}
/** How the contract gets children and waits for them: real ones for an event, scripted ones by stepping a clock. */
export interface ProcessWorld {
  /** Opens the port under test on a child that behaves so. */
  open(behaviour: ChildBehaviour, emit: Emit<ProcessFact>): ContractChild;
  /** Resolves once it holds; looked at again whenever a fact was given. */
  until(holds: () => boolean): Promise<void>;
  /** Resolves when no process of any child lives and no fact can come any more. */
  settled(): Promise<void>;
  /** Children of which anything lives, as the ledger counts them. */
  alive(): number;
  /** Ends everything that a failed case left. */
  dispose(): Promise<void>;
}
/** Port under test. Each case has a world of its own. */
export interface ProcessSubject {
  /** A world without any child. */
  createWorld(): ProcessWorld;
  /**
   * Children live behind another program (`docker`, `ssh`): nothing of them outlives their leader, a signal may show
   * as code 128 + its number, and a command that is missing as the end of that program.
   */
  readonly isRemote?: boolean;
}

type Fact<T extends ProcessFact['type']> = Extract<ProcessFact, { type: T }>;
export type Exit = Fact<'child.exited'>;

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

/** Tools of every rule. */
export interface Harness {
  readonly world: ProcessWorld;
  readonly isRemote: boolean;
  readonly open: (behaviour: ChildBehaviour) => ObservedChild;
  /** Opened, and behaving as told. */
  readonly running: (behaviour: ChildBehaviour) => Promise<ObservedChild>;
  /** Ended by itself, with this code, and left no process. */
  readonly endedWith: (exit: Exit, code: number) => void;
  readonly endedBy: (exit: Exit, signal: 'SIGTERM' | 'SIGKILL') => void;
}
export const rule = (title: string, holds: Rule<Harness>['holds']): Rule<Harness> => ({ title, holds });

const numbers = { SIGTERM: 15, SIGKILL: 9 } as const;

/** Checks one rule with a world of its own, of which nothing is left afterwards. */
export async function inHarness({ createWorld, isRemote = false }: ProcessSubject, { holds }: Rule<Harness>) {
  const world = createWorld();
  const open = (behaviour: ChildBehaviour): ObservedChild => observed(world, behaviour);
  try {
    await holds({
      world,
      isRemote,
      open,
      running: async (behaviour) => {
        const child = open(behaviour);
        await child.ready();
        return child;
      },
      endedWith: ({ code, signal, left }, expected) =>
        assert.deepEqual({ code, signal, left }, { code: expected, signal: null, left: 0 }),
      endedBy: ({ code, signal }, expected) =>
        assert.deepEqual(
          { code, signal },
          isRemote && signal === null
            ? { code: 128 + numbers[expected], signal }
            : { code: null, signal: expected },
        ),
    });
  } finally {
    await world.dispose();
  }
}
