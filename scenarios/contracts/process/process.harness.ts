import assert from 'node:assert/strict';
import type { Emit, PortInstance } from '../../../machines/kernel/ports.ts';
import type { ProcessCommand, ProcessFact } from '../../../machines/ports/process.ts';
import type { Rule } from '../contract.ts';

/** Behaviour of a child process that every world of this contract can start. */
export type ChildBehaviour =
  /** Ends with code 0 when its stdin ends. */
  | 'good'
  /** Ignores the end of stdin; SIGTERM ends it. */
  | 'ignoresStdin'
  /** Ends only by SIGKILL. */
  | 'stubborn'
  /** Writes "boom" to stderr and ends with code 7, soon and by itself. */
  | 'crashes'
  /** Cannot start, because the command `no-such-command` does not exist. */
  | 'missing'
  /** Runs a shell, which SIGTERM ends, around a stubborn server in the same process group. */
  | 'wrapped'
  /** Behaves like `good` and has a silent child process in the same group, which SIGTERM ends. */
  | 'leavesGrandchild';

/** Child process behind the port under test. */
export interface ContractChild extends PortInstance<ProcessCommand> {
  /** Resolves when the child shows its behaviour (signal handlers set, child process started); stays pending for `missing`. */
  ready(): Promise<void>;
}
/** Environment in which the contract starts children and waits for them: real processes, or scripted ones on a virtual clock. */
export interface ProcessWorld {
  /** Opens the port under test on a child with this behaviour; `emit` receives the facts. */
  open(behaviour: ChildBehaviour, emit: Emit<ProcessFact>): ContractChild;
  /** Resolves once the condition holds; checked again after every fact. */
  until(holds: () => boolean): Promise<void>;
  /** Resolves when no process of any child lives and no further fact can come. */
  settled(): Promise<void>;
  /** Returns the number of children with a living process, as the ledger counts them. */
  alive(): number;
  /** Ends everything that a failed case left running. */
  dispose(): Promise<void>;
}
/** Port under test, with a new world for each case. */
export interface ProcessSubject {
  /** Creates a world without children. */
  createWorld(): ProcessWorld;
  /**
   * Tells whether children run behind another program (`docker`, `ssh`): no process outlives the leader, a signal may show as
   * code 128 plus its number, and a missing command as the end of that program. False by default.
   */
  readonly isRemote?: boolean;
}

type Fact<T extends ProcessFact['type']> = Extract<ProcessFact, { type: T }>;
export type Exit = Fact<'child.exited'>;

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
    next: async <T extends ProcessFact['type']>(type: T): Promise<Fact<T>> => {
      await world.until(() => find(type) !== undefined);
      return find(type) as Fact<T>;
    },
  };
}
export type ObservedChild = ReturnType<typeof observed>;

export interface Harness {
  readonly world: ProcessWorld;
  readonly isRemote: boolean;
  readonly open: (behaviour: ChildBehaviour) => ObservedChild;
  readonly running: (behaviour: ChildBehaviour) => Promise<ObservedChild>;
  readonly endedWith: (exit: Exit, code: number) => void;
  readonly endedBy: (exit: Exit, signal: 'SIGTERM' | 'SIGKILL') => void;
}
export const rule = (title: string, holds: Rule<Harness>['holds']): Rule<Harness> => ({ title, holds });

const numbers = { SIGTERM: 15, SIGKILL: 9 } as const;

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
