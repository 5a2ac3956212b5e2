import { expect, it } from 'vitest';
import { ListTimes } from './catalogs.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
const all = { server: 's', list: 'tools', revision: 0, why: '', isWithdrawn: false, changed: [] } as const;

it('the times of a list that changes for ever are those of its entries and of the last 100 that are gone', () => {
  const times = new ListTimes();
  times.listed({ ...all, entries: [tool('stays'), tool('t0')], added: ['stays', 't0'], removed: [] });
  for (let n = 1; n <= 300; n += 1)
    times.listed({
      ...all,
      entries: [tool('stays'), tool(`t${n}`)],
      added: [`t${n}`],
      removed: [`t${n - 1}`],
    });
  const isKnown = (key: string): boolean => times.at('s', 'tools', key, false) > 0;
  expect(['stays', 't300', 't299', 't200', 't199', 't0'].map(isKnown)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  times.forget('s');
  expect(isKnown('stays')).toBe(false);
});
