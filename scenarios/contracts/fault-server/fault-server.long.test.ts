import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { vocabulary } from '../../fault-server/words/fault.ts';
import { rules, testFaultServer } from './fault-server-rules.ts';

const serverWords = vocabulary.filter(({ where, later }) => where === 'server' && later === undefined);

it('the fault server has a rule for every word that it can do, and for no other', () => {
  expect(Object.keys(rules).sort()).toEqual(serverWords.map(({ fault }) => fault).sort());
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

// The rest is in fault-server.long.test.ts.
testFaultServer('few');
