import { readFileSync, writeFileSync } from 'node:fs';
import { expect, describe, it } from 'vitest';
import { assign } from 'xstate';
import { altered, provided } from '../fixtures/altered.ts';
import { inputsOf, recordedRun } from '../fixtures/recorded-run.ts';
import type { Level } from './comparison.ts';
import type { Kinds } from './replay-trace.ts';
import { replayOf, type ReplayReport } from './replay.ts';

const life = recordedRun();
const known = new Map<string, ReplayReport>();
function replayed(kinds: Kinds, level: Level = 'effects', trace = life): ReplayReport {
  return replayOf('life.trace.ndjson', trace, { kinds, level });
}
/** Of a mutant: each is replayed once. */
function reportOf({ what, kinds, level }: Mutant): ReplayReport {
  const report = known.get(what) ?? replayed(kinds, level);
  known.set(what, report);
  return report;
}

interface Mutant {
  readonly what: string;
  readonly kinds: Kinds;
  readonly level?: Level;
}
type Params = Record<string, unknown>;
type Of = { readonly context: { readonly timeoutMs: number } };
const mutants: readonly Mutant[] = [
  {
    what: 'a pause that is longer',
    kinds: altered('client', [
      [
        ['states', 'waiting', 'entry', '1'],
        () => ({ type: 'setDeadline', params: { ms: 1_500, spread: 0.5 } }),
      ],
    ]),
  },
  {
    what: 'a time-out that is twice as long',
    kinds: altered('call', [
      [
        ['entry'],
        () => ({
          type: 'setDeadline',
          params: ({ context }: Of) => ({ ms: context.timeoutMs * 2 }),
        }),
      ],
    ]),
  },
  {
    what: 'a cancel that is ignored',
    kinds: altered('call', [[['states', 'running', 'on', 'call.cancel'], () => undefined]]),
  },
  {
    what: 'a cancel that is ignored, step by step',
    level: 'steps',
    kinds: altered('call', [[['states', 'running', 'on', 'call.cancel'], () => undefined]]),
  },
  {
    what: 'a reason that is not remembered',
    kinds: provided('client', { actions: { rememberDisconnected: () => {} } }),
  },
  {
    what: 'a change of tools that is lost while they are fetched',
    kinds: altered('catalog', [
      [['states', 'refreshing', 'states', 'asking', 'on', 'list.changed'], () => ({})],
    ]),
  },
  {
    what: 'no second try',
    kinds: provided('client', {
      guards: { canRetry: ({ context }: { context: { attempt: number } }) => context.attempt < 0 },
    }),
  },
  {
    what: 'two actions in another order',
    kinds: altered('client', [
      [['states', 'recovering', 'entry'], (old: readonly unknown[]) => old.toReversed()],
    ]),
  },
  {
    what: 'a change of tools that nobody announces',
    kinds: provided('link', { actions: { announce: () => {} } }),
  },
  {
    what: 'a call that answers twice',
    kinds: altered('call', [[['states', 'succeeded', 'entry'], (settle) => [settle, settle]]]),
  },
  {
    what: 'a process that leaves out a rung of the ladder',
    kinds: altered('process', [
      [['states', 'closing', 'states', 'stdinClosed', 'after'], () => ({ stdinGrace: 'killing' })],
    ]),
  },
  {
    what: 'an answer to somebody else',
    kinds: altered('call', [
      [
        ['states', 'succeeded', 'entry'],
        (settle: { params: (of: unknown) => Params }) => ({
          ...settle,
          params: (of: unknown) => ({ ...settle.params(of), to: 'host:agent' }),
        }),
      ],
    ]),
  },
  {
    what: 'a text in the memory of a machine, which it tells nobody',
    level: 'strict',
    kinds: provided('client', { actions: { rememberInfo: assign({ info: { name: 'another' } }) } }),
  },
];

/** What a person needs: without what both agree on, and the command to repeat; long lines cut. */
const essence = ({ text }: ReplayReport): string =>
  text
    .split('\n')
    .filter((line) => !/^ {4}=|^ {2}again/.test(line))
    .map((line) => (line.length > 110 ? `${line.slice(0, 109)}…` : line))
    .join('\n');

/** What a person reads of each, a block each; `A2C_UPDATE_MUTANTS=1` writes what they give today: read the difference. */
const page = new URL('./mutants.txt', import.meta.url);
const isUpdating = process.env['A2C_UPDATE_MUTANTS'] === '1';
const shown = (): Map<string, string> =>
  new Map(
    readFileSync(page, 'utf8')
      .split(/^## /m)
      .slice(1)
      .map((block): [string, string] => {
        const [what = '', ...lines] = block.trim().split('\n');
        return [what, lines.join('\n')];
      }),
  );

describe('a change of what machines do', () => {
  it.each(mutants)('is found where it first shows: $what', (mutant) => {
    const report = reportOf(mutant);
    expect(report.verdict).toBe('diverged');
    if (!isUpdating) expect(essence(report)).toBe(shown().get(mutant.what));
  });

  it('has its page, and nothing else is on it', () => {
    const blocks = mutants.map((mutant) => `## ${mutant.what}\n${essence(reportOf(mutant))}\n`);
    if (isUpdating) writeFileSync(page, blocks.join('\n'));
    expect([...shown().keys()]).toEqual(mutants.map(({ what }) => what));
  });

  it.each(mutants)('is shown again by the command that the report ends with: $what', (mutant) => {
    const { kinds, level } = mutant;
    const report = reportOf(mutant);
    const again = /again: npx -p a2c-actors a2c replay life.trace.ndjson --level (\w+) --until (\d+)$/;
    const [, wanted, until] = again.exec(report.text) ?? [];
    expect(wanted).toBe(level ?? 'effects');
    const repeated = replayOf('life.trace.ndjson', life, {
      kinds,
      level: wanted as Level,
      until: Number(until),
    });
    expect(repeated.text).toBe(report.text);
  });

  it.each(mutants.filter(({ level }) => level === undefined))(
    'is found in a recording of inputs alone too, at the same input: $what',
    (mutant) => {
      const { what, kinds } = mutant;
      const inputOf = ({ text }: ReplayReport): string => /handling input (seq \d+)/.exec(text)?.[1] ?? '';
      const report = replayed(kinds, 'effects', inputsOf(life));
      // What a message says is no part of the rolling hash, only that it was sent.
      const isToldOnly = what.startsWith('a reason');
      expect(report.verdict).toBe(isToldOnly ? 'same' : 'diverged');
      expect(inputOf(report)).toBe(isToldOnly ? '' : inputOf(reportOf(mutant)));
    },
  );
});

describe('chance and time in a machine', () => {
  const marking = (isSent: () => boolean) => ({
    actions: {
      enter: assign((_, { phase }: { phase: string }) => ({ phase: isSent() ? phase : 'queued' })),
    },
  });
  it.each([
    ['a guard', { guards: { isToolError: () => Math.random() > 2 } }, 'Math.random()'],
    ['an action', marking(() => Date.now() > 0), 'Date.now()'],
    ['an action', marking(() => new Date().getTime() > 0), 'new Date()'],
    ['an action', marking(() => crypto.randomUUID().length > 0), 'crypto.randomUUID()'],
  ])('in %s is nondeterministic although all agrees, and is told with its place', (_in, filled, api) => {
    const { verdict, text } = replayed(provided('call', filled));
    expect(verdict).toBe('nondeterministic');
    const [first, used, ...rest] = text.split('\n');
    expect(first).toMatch(/^NONDETERMINISTIC life.trace.ndjson: \d+ inputs, \d+ records agree, but/);
    expect(used?.startsWith(`  ${api} was used at `)).toBe(true);
    expect(used).toMatch(/scenarios\/replay\/mutants\.test\.ts:\d+:\d+\)?, \d+ times$/);
    expect(used).not.toContain('file:');
    expect(rest).toEqual([
      '  a replay cannot repeat that: take it from the event, from the input, or from a port',
      '  again: npx -p a2c-actors a2c replay life.trace.ndjson --level effects',
    ]);
  });

  it('that leads elsewhere is nondeterministic too, and says where it parts', () => {
    const filled = { guards: { isToolError: () => Math.random() < 2 } };
    const { verdict, text } = replayed(provided('call', filled));
    expect(verdict).toBe('nondeterministic');
    expect(text).toMatch(/^NONDETERMINISTIC life.trace.ndjson at seq \d+: /);
    expect(text).toContain('  Math.random() was used at isToolError (');
    expect(text).toContain('{"end":"failed"');
  });

  it('is none that is told which date it is: that needs no clock', () => {
    const filled = marking(() => new Date(0).getTime() === 0);
    expect(replayed(provided('call', filled)).verdict).toBe('same');
  });
});
