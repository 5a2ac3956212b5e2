import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { firstKnown } from '../../machines/link/link.setup.ts';
import { altered, provided, type Edit } from '../fixtures/altered.ts';
import { inputsOf, recordedRun } from '../fixtures/recorded-run.ts';
import { levels } from './comparison.ts';
import type { Kinds } from './replay-trace.ts';
import { replayOf } from './replay.ts';

const life = recordedRun();
type On = Readonly<Record<string, object>>;
interface Refactoring {
  readonly what: string;
  readonly kinds: Kinds;
  /** At `effects`, `steps` and `strict`. */
  readonly verdicts: readonly string[];
  readonly hint?: string;
}

/** `disconnected` of a client under another name. */
const renamed: readonly Edit[] = [
  [['states'], ({ disconnected, ...states }: On) => ({ ...states, cut: disconnected })],
  [['states', 'connected', 'on', 'session.lost', '1'], (lost: object) => ({ ...lost, target: 'cut' })],
  [
    ['states', 'connected', 'on', 'session.failed', '0'],
    (failed: object) => ({ ...failed, target: '#client.cut' }),
  ],
];
/** `running --deadline.passed--> timedOut` by way of a state that is passed through. */
const split: readonly Edit[] = [
  [['states', 'running', 'on', 'deadline.passed'], () => 'late'],
  [['states', 'late'], () => ({ always: { target: 'timedOut', actions: 'rememberTimeout' } })],
];
const joined = ['states', 'online', 'states', 'joining', 'on', 'join.accepted', 'actions'] as const;

const refactorings: readonly Refactoring[] = [
  {
    what: 'a state with another name',
    kinds: altered('client', renamed),
    verdicts: ['same', 'diverged', 'diverged'],
    hint: 'session.lost leads to another state now: disconnected → cut',
  },
  {
    what: 'a transition in two steps, by way of a state that is passed through',
    kinds: altered('call', split),
    verdicts: ['same', 'diverged', 'diverged'],
    hint: 'deadline.passed leads to another state now: timedOut → late',
  },
  {
    what: 'a guard with another name',
    kinds: altered('client', [[['states', 'gone', 'always', '4', 'guard'], () => 'mayRetry']], {
      guards: {
        mayRetry: ({ context }: { context: { attempt: number; budget: number } }) =>
          context.attempt < context.budget,
      },
    }),
    verdicts: ['same', 'diverged', 'diverged'],
    hint: 'it comes to the same state by another way',
  },
  {
    what: 'one more thing that is remembered and told nobody',
    kinds: provided('call', {
      actions: { enter: assign((_, { phase }: { phase: string }) => ({ phase, again: false })) },
    }),
    verdicts: ['same', 'same', 'diverged'],
    hint: 'the machine remembers something else now, in its context; --profile full records what',
  },
  {
    what: 'two actions as one',
    kinds: altered('link', [[joined, () => 'rememberJoin']], {
      actions: {
        rememberJoin: assign(({ context: c }: { context: Parameters<typeof firstKnown>[0] }) => ({
          announced: firstKnown(c),
          reason: null,
          refusal: null,
        })),
      },
    }),
    // A chart has no names for steps within a transition: nobody can tell.
    verdicts: ['same', 'same', 'same'],
  },
];

describe('a refactoring that changes no effect', () => {
  it.each(refactorings)('stays the same at effects, and no stricter level lies: $what', (refactoring) => {
    const { kinds, verdicts, hint } = refactoring;
    const reports = levels.map((level) => replayOf('life', life, { kinds, level }));
    expect(reports.map(({ verdict }) => verdict)).toEqual(verdicts);
    const told = reports.find(({ verdict }) => verdict === 'diverged');
    if (hint !== undefined) expect(told?.text).toContain(`  hint: ${hint}\n`);
  });

  it.each(refactorings)('stays the same for a recording of inputs alone: $what', ({ kinds }) => {
    expect(replayOf('life', inputsOf(life), { kinds }).verdict).toBe('same');
  });

  it('has the digest of before: over what left the machines', () => {
    const digests = [undefined, ...refactorings].map(
      (each) => replayOf('life', life, each && { kinds: each.kinds }).digest,
    );
    expect(new Set(digests).size).toBe(1);
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});
