import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vocabulary } from '../faults/fault.ts';
import { frameLaws } from './fault-server-frame.ts';
import { netLaws } from './fault-server-net.ts';
import { procLaws } from './fault-server-proc.ts';
import { listLaws, notifyLaws } from './fault-server-lists.ts';
import { resourceLaws } from './fault-server-resources.ts';
import { lifeLaws, rpcLaws } from './fault-server-rpc.ts';
import { starting, type Laws } from './fault-server-stage.ts';

const laws: Laws = {
  ...{ ...procLaws, ...frameLaws, ...lifeLaws, ...rpcLaws },
  ...{ ...notifyLaws, ...listLaws, ...resourceLaws, ...netLaws },
};
const serverWords = vocabulary.filter(({ where, later }) => where === 'server' && later === undefined);

it('the fault server has a law for every word that it can do, and for no other', () => {
  expect(Object.keys(laws).sort()).toEqual(serverWords.map(({ fault }) => fault).sort());
});

it('its manual has every word that it can do, its moments, parameters and meaning', () => {
  const manual = readFileSync(new URL('../fault-server/README.md', import.meta.url), 'utf8');
  const rows = manual.split('\n').filter((line) => /^\| `\w+\.\w+` /.test(line));
  const row = ({ fault, params, when = [], means }: (typeof serverWords)[number]): string => {
    const shown = Object.entries(params).map(([name, param]) => `${name} ${JSON.stringify(param.default)}`);
    const own = shown.length > 0 ? `\`${shown.join(', ')}\`` : '';
    return `| \`${fault}\` | ${own} | ${when[0]} | ${means} |`;
  };
  expect(rows).toEqual(serverWords.map(row));
});

describe.concurrent('the fault server', { timeout: 20_000 }, () => {
  for (const [word, { law, holds }] of Object.entries(laws))
    it(`${word} ${law}`, async ({ expect: expected, onTestFinished }) => {
      await expected(holds(starting(onTestFinished))).resolves.toBeUndefined();
    });
});
