import { describe, expect, it } from 'vitest';
import {
  buildTable,
  emptyTable,
  findTool,
  offeredTools,
  toSmcpTool,
  unresolved,
  type ToolTable,
} from './index.ts';
import { ruled, catalogsOf, prefix, tableOf, isUp, offered, found } from './tables.given.ts';

describe('two servers with one tool name, and reject', () => {
  const table = tableOf({ a: ['t', 's'], b: ['r', 't'] });

  it('T12 the newcomer is refused by name, with both servers and the alias to write; every other tool of both is there (the text of the issue: the server itself starts)', () => {
    expect(offered(table)).toEqual(['t = a/t', 's = a/s', 'r = b/r']);
    expect(table.refused).toEqual([
      {
        ...{ name: 't', server: 'b' },
        failure: {
          code: 'ToolNameDuplicated',
          message: "Tool 't' exists in multiple servers: 'a', 'b'",
          details: {
            ...{ tool_name: 't', servers: ['a', 'b'] },
            suggestion: '"tool_meta": {"t": {"alias": "b_t"}}',
          },
          remedy: `Give it an alias in the config of 'b': "tool_meta": {"t": {"alias": "b_t"}}`,
        },
      },
    ]);
  });

  it('the proposed alias is free of conflict, and so is every tool then', () => {
    const rules = [ruled('a'), ruled('b', { toolMeta: { t: { alias: 'b_t' } } })];
    expect(buildTable(rules, catalogsOf({ a: ['t', 's'], b: ['r', 't'] })).refused).toEqual([]);
  });

  it('the name is the newcomer’s when the first one has it no more: nothing is remembered', () => {
    const after = tableOf({ a: ['s'], b: ['r', 't'] }, {}, table);
    expect([offered(after), after.refused]).toEqual([['s = a/s', 'r = b/r', 't = b/t'], []]);
  });

  it('any name stays as its server gave it: what models take is the business of their formats', () => {
    const names = ['a.b', 'a b', '中文', 'x'.repeat(80)];
    expect(offered(tableOf({ a: names })).map((each) => each.split(' = a/')[0])).toEqual(names);
  });
});

describe('two servers with one tool name, and prefix', () => {
  it('19 both are called by their server and their name, which their descriptions begin with, too', () => {
    const table = tableOf({ A: ['x', 'y'], B: ['x'] }, prefix);
    expect([offered(table), table.refused]).toEqual([['A_x = A/x', 'y = A/y', 'B_x = B/x'], []]);
    expect(offeredTools(table, isUp).map((entry) => toSmcpTool(entry).description)).toEqual([
      ...['[A] None', 'None', '[B] None'],
    ]);
    expect(findTool(table, 'B_x')?.renamed).toEqual({ from: 'x', servers: ['A', 'B'] });
  });

  it('20 and so are three of them, and none has the bare name', () => {
    const table = tableOf({ A: ['x'], B: ['x'], C: ['x'] }, prefix);
    expect(offered(table)).toEqual(['A_x = A/x', 'B_x = B/x', 'C_x = C/x']);
    expect(findTool(table, 'x')).toBeUndefined();
  });

  it('21 each is found by its name, with the name that its server knows', () => {
    expect(found(tableOf({ A: ['x'], B: ['x'] }, prefix), 'B_x')).toBe('B/x');
  });

  it('22 the bare name is not found, and what can be called instead is said (answers otherwise: who had it alone before is not found by it either)', () => {
    const alone = tableOf({ A: ['x'] }, prefix);
    expect(found(alone, 'x')).toBe('A/x');
    const table = tableOf({ A: ['x'], B: ['x'] }, prefix, alone);
    expect(findTool(table, 'x')).toBeUndefined();
    expect(unresolved(table, 'x')).toMatchObject({
      ...{ code: 4001, details: { tool_name: 'x', names: ['A_x', 'B_x'] } },
      remedy: 'Call it by its own name: A_x, B_x',
    });
  });

  it('23 what no model takes in the name of a server is replaced, and no tool is dropped', () => {
    expect(offered(tableOf({ 'p/q': ['x'], B: ['x'] }, prefix))).toEqual(['p_q_x = p/q/x', 'B_x = B/x']);
  });

  it('24 nor in the name of a tool; those that come out equal have marks, and each is called as its server knows it (answers otherwise: without a conflict a name stays)', () => {
    const names = ['a.b', 'a b', '中文'];
    const table = tableOf({ A: names, B: names }, prefix);
    const shown = offeredTools(table, isUp).map((entry) => entry.shown);
    expect(shown[2]).toBe('A___');
    expect(shown[0]).toMatch(/^A_a_b_[0-9a-f]{8}$/);
    expect(new Set(shown).size).toBe(6);
    expect(shown.map((name) => found(table, name))).toEqual([
      ...names.map((name) => `A/${name}`),
      ...names.map((name) => `B/${name}`),
    ]);
    expect(offered(tableOf({ A: names }, prefix))).toEqual(names.map((name) => `${name} = A/${name}`));
  });

  it('25 a tool that has that name by nature keeps it: three names for three tools', () => {
    const table = tableOf({ A: ['x', 'B_x'], B: ['x'] }, prefix);
    const [first, second, third] = offeredTools(table, isUp).map(({ shown }) => shown);
    expect([first, second]).toEqual(['A_x', 'B_x']);
    expect(third).toMatch(/^B_x_[0-9a-f]{8}$/);
    expect([found(table, 'B_x'), found(table, third ?? '')]).toEqual(['A/B_x', 'B/x']);
  });

  it('26 a long name is cut to 64 characters, the same in any order and at any time, and finds its tool', () => {
    const long = 'x'.repeat(80);
    const [table, other] = [
      { A: [long], B: [long] },
      { B: [long], A: [long] },
    ].map((l) => tableOf(l, prefix));
    const names = offeredTools(table ?? emptyTable, isUp).map(({ shown }) => shown);
    expect(names.map((name) => [name.length, found(other ?? emptyTable, name)])).toEqual([
      [64, `A/${long}`],
      [64, `B/${long}`],
    ]);
    expect(names[0]).toMatch(/^A_x{53}_[0-9a-f]{8}$/);
  });

  it.each(['reject', 'prefix'] as const)(
    '27 one server that lists a tool twice has no conflict: the second is dropped, and is seen to be (%s)',
    (onConflict) => {
      const table = tableOf({ A: ['x', 'x', 'y'] }, { onConflict });
      expect(offered(table)).toEqual(['x = A/x', 'y = A/y']);
      expect(table.refused).toMatchObject([
        {
          ...{ name: 'x', server: 'A' },
          failure: { message: "Server 'A' lists tool 'x' more than once; the first is taken" },
        },
      ]);
    },
  );

  it('29 a server that is down keeps its names and the others theirs; who leaves the config gives them back (the text of the issue: the case has a stop do so)', () => {
    const table = tableOf({ A: ['x'], B: ['x'] }, prefix);
    const names = offeredTools(table, (server) => server === 'A').map(({ shown }) => shown);
    expect(names).toEqual(['A_x']);
    const left = tableOf({ A: ['x'] }, prefix, table);
    expect([offered(left), found(left, 'B_x'), left.conflicting]).toEqual([['x = A/x'], undefined, {}]);
  });

  it('an alias counts as a name, and one of them ends the conflict', () => {
    const toolMeta = { y: { alias: 'x' } };
    const rules = [ruled('A', { ...prefix, toolMeta }), ruled('B', prefix)];
    const table = buildTable(rules, catalogsOf({ A: ['y'], B: ['x'] }));
    expect(offered(table)).toEqual(['A_x = A/y', 'B_x = B/x']);
    expect([found(table, 'y'), found(table, 'x')]).toEqual(['A/y', undefined]);
  });
});

describe('a server of its own mind', () => {
  const mixed = (...how: readonly [server: string, onConflict: 'reject' | 'prefix'][]): ToolTable =>
    buildTable(
      how.map(([server, onConflict]) => ruled(server, { onConflict })),
      catalogsOf(Object.fromEntries(how.map(([server]) => [server, ['x']]))),
    );

  it.each([
    ['before', mixed(['A', 'prefix'], ['B', 'reject'])],
    ['after', mixed(['B', 'reject'], ['A', 'prefix'])],
  ])('gives way with prefix to one with reject, %s it in the config', (_, table) => {
    expect([found(table, 'x'), found(table, 'A_x'), table.refused]).toEqual(['B/x', 'A/x', []]);
  });

  it('with reject is refused only after another with reject', () => {
    const table = mixed(['A', 'prefix'], ['B', 'reject'], ['C', 'reject']);
    expect(offered(table)).toEqual(['A_x = A/x', 'x = B/x']);
    expect(table.refused).toMatchObject([{ name: 'x', server: 'C' }]);
  });
});

describe('a tool that is forbidden by the name that it has in a conflict', () => {
  it('is hidden, and says so when it is called; the other one has the bare name', () => {
    const rules = [ruled('A', { ...prefix, forbiddenTools: ['A_x'] }), ruled('B', prefix)];
    const table = buildTable(rules, catalogsOf({ A: ['x'], B: ['x'] }));
    expect(offered(table)).toEqual(['x = B/x']);
    expect(found(table, 'A_x')).toBeUndefined();
    expect(unresolved(table, 'A_x')).toMatchObject({ code: 4002 });
  });
});
