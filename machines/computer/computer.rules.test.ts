import { expect, it } from 'vitest';
import { emptyTable } from '../catalog/tool-table.ts';
import { isWhole } from './computer.rules.ts';
import { type ComputerContext } from './computer.events.ts';

it('a computer of many servers looks at none of them until there is news of one', () => {
  let looks = 0;
  const servers = Array.from({ length: 500 }, (_, n) => ({
    rules: { server: `s${n}` },
    get client() {
      looks += 1;
      return { start: 'eager' };
    },
  }));
  const stages = Object.fromEntries(servers.map(({ rules: { server } }) => [server, 'ready']));
  const context = { servers, stages, up: {}, table: emptyTable, restless: {} } as unknown as ComputerContext;
  expect([isWhole(context), looks]).toEqual([true, 500]);
  for (let n = 0; n < 10; n += 1) expect(isWhole({ ...context, open: n })).toBe(true);
  expect(looks).toBe(500);
  expect(isWhole({ ...context, stages: { ...context.stages, s7: 'waiting' } })).toBe(false);
});
