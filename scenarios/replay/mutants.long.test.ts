import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { altered, changedParts, provided } from '../fixtures/altered.ts';
import { boundaryOf, recordedRun } from '../fixtures/recorded-run.ts';
import type { Kinds } from './replay-trace.ts';
import { replayOf, type ReplayReport } from './replay.ts';

const life = boundaryOf(await recordedRun());
const known = new Map<string, ReplayReport>();
interface Mutant {
  readonly what: string;
  readonly kinds: Kinds;
}
function reportOf({ what, kinds }: Mutant): ReplayReport {
  const report = known.get(what) ?? replayOf('life.trace.ndjson', life, { kinds });
  known.set(what, report);
  return report;
}
type Params = Record<string, unknown>;
type Asked = { readonly method: string; readonly params: Params };
const mutants: readonly Mutant[] = [
  {
    what: 'a pause that is longer',
    kinds: altered('client', [
      [
        ['states', 'off', 'states', 'waiting', 'entry', '2'],
        () => ({ type: 'setDeadline', params: { ms: 1_500, spread: 0.5 } }),
      ],
    ]),
  },
  {
    what: 'a reason that is not remembered',
    kinds: provided('client', { actions: { rememberFailure: () => {} } }),
  },
  {
    what: 'no second try',
    kinds: provided('client', {
      guards: { canRetry: ({ context }: { context: { attempt: number } }) => context.attempt < 0 },
    }),
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
    what: 'a tool that is called with other arguments',
    kinds: changedParts('call', (part) => {
      const { type, params } = part as { readonly type?: unknown; readonly params?: (of: unknown) => Asked };
      if (type !== 'request' || typeof params !== 'function') return part;
      const asked = (of: unknown): Asked => {
        const question = params(of);
        return question.method === 'tools/call'
          ? { ...question, params: { ...question.params, arguments: { a: 1 } } }
          : question;
      };
      return { ...part, params: asked };
    }),
  },
];

const essence = ({ text }: ReplayReport): string =>
  text
    .split('\n')
    .filter((line) => !/^ {2}(again|if it is wanted):/.test(line))
    .join('\n');

/** `A2C_UPDATE_MUTANTS=1` writes those of today. */
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
    expect(report.verdict).toBe('changed');
    // Names no machine: the reader does not know them.
    expect(report.text).not.toMatch(/#\d|computer\/|agent\//);
    if (!isUpdating) expect(essence(report)).toBe(shown().get(mutant.what));
  });

  it('has its page, and nothing else is on it', () => {
    const blocks = mutants.map((mutant) => `## ${mutant.what}\n${essence(reportOf(mutant))}\n`);
    if (isUpdating) writeFileSync(page, blocks.join('\n'));
    expect([...shown().keys()]).toEqual(mutants.map(({ what }) => what));
  });

  it('is counted when it comes one after another, and changes what becomes of calls and servers', () => {
    const { difference } = reportOf(mutants.find(({ what }) => what === 'no second try') as Mutant);
    expect(difference?.more).toBeGreaterThan(5);
    expect(difference?.outcomes).toEqual([
      expect.stringMatching(/^server fs: .* → closing \| .* → open /),
      'process fs/2: ended by SIGTERM | nothing',
    ]);
  });
});
