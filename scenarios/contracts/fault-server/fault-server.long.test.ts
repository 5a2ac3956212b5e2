import '../../stories/all.scenario.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vocabulary } from '../../fault-server/words/fault.ts';
import { registered } from '../../stage/plan/builder.ts';
import { starting } from './fault-server-harness.ts';
import { rules } from './fault-server-rules.ts';

const serverWords = vocabulary.filter(({ where, later }) => where === 'server' && later === undefined);

it('each word that the fault server can do is in a story that is played for real', () => {
  const played = registered.filter(({ virtualOnly }) => virtualOnly === undefined);
  const told = JSON.stringify(played);
  expect(serverWords.filter(({ fault }) => !told.includes(`"fault":"${fault}"`))).toEqual([]);
  const words: readonly string[] = serverWords.map(({ fault }) => fault);
  expect(Object.keys(rules).filter((word) => !words.includes(word))).toEqual([]);
});

it('the manual of the fault server has every word that it can do, its moments, parameters and meaning', () => {
  const manual = readFileSync(new URL('../../fault-server/README.md', import.meta.url), 'utf8');
  const rows = manual.split('\n').filter((line) => /^\| `\w+\.\w+` /.test(line));
  const row = ({ fault, params, when = [], means }: (typeof serverWords)[number]): string => {
    const shown = Object.entries(params).map(([name, param]) => `${name} ${JSON.stringify(param.default)}`);
    const own = shown.length > 0 ? `\`${shown.join(', ')}\`` : '';
    return `| \`${fault}\` | ${own} | ${when[0]} | ${means} |`;
  };
  expect(rows).toEqual(serverWords.map(row));
});

// A busy machine may start many processes slowly.
describe.concurrent('the fault server', { timeout: 200_000 }, () => {
  for (const [word, { rule, holds }] of Object.entries(rules))
    it(`${word} ${rule}`, async ({ expect: expected, onTestFinished }) => {
      await expected(holds(starting(onTestFinished))).resolves.toBeUndefined();
    });
});
