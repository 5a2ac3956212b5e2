import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildTable,
  emptyTable,
  findTool,
  offeredTools,
  unresolved,
  type ToolRules,
  type ToolTable,
} from './index.ts';
import { ruled, catalogsOf, prefix, tableOf, isUp, offered, found, type Lists } from './tables.given.ts';

describe('a name that was given in a conflict', () => {
  const both = tableOf({ A: ['x'], B: ['x', 'y'] }, prefix);

  it('stays when the other server lists its tool no more, and when it does again, or neither does', () => {
    const one = tableOf({ A: ['x'], B: ['y'] }, prefix, both);
    expect([offered(one), found(one, 'x')]).toEqual([['A_x = A/x', 'y = B/y'], undefined]);
    const nobody = tableOf({ A: [], B: [] }, prefix, one);
    expect(offered(nobody)).toEqual([]);
    expect(offered(tableOf({ A: [], B: ['x'] }, prefix, nobody))).toEqual(['B_x = B/x']);
  });

  it('is given also while the other is only known from its last run', () => {
    const rules = [ruled('A', prefix), ruled('B', { ...prefix, lastTools: ['x', 'z'] })];
    const table = buildTable(rules, catalogsOf({ A: ['x'] }));
    expect(offered(table)).toEqual(['A_x = A/x']);
    // What it has now counts, and what there was a conflict about.
    const later = buildTable(rules, catalogsOf({ A: ['x', 'z'], B: ['y'] }), table);
    expect(offered(later)).toEqual(['A_x = A/x', 'z = A/z', 'y = B/y']);
  });

  it('is not given for what one server had before another came to have it', () => {
    const before = tableOf({ A: ['x'], B: [] }, prefix, tableOf({ A: ['x'] }, prefix));
    const after = tableOf({ A: [], B: ['x'] }, prefix, tableOf({ A: [], B: [] }, prefix, before));
    expect(offered(after)).toEqual(['x = B/x']);
  });

  it('of a server that makes up conflicts without end is forgotten at last', () => {
    const many = (letter: string): string[] => Array.from({ length: 600 }, (_, n) => letter + n);
    let table = emptyTable;
    for (const letter of 'abc') {
      const tools = many(letter);
      table = tableOf({ A: tools, B: tools }, prefix, table);
    }
    table = tableOf({ A: ['x'], B: ['x'] }, prefix, table);
    expect(table.conflicting['A']).toHaveLength(1_001);
    expect(offered(tableOf({ A: ['a0', 'c0'], B: [] }, prefix, table))).toEqual(['a0 = A/a0', 'A_c0 = A/c0']);
  });
});

const name = fc.oneof(
  fc.constantFrom('x', 'y', 'A_x', 'B_x', 'a b', 'a.b', 'x'.repeat(70), '中', '__proto__', 'constructor'),
  fc.string({ minLength: 1, maxLength: 20 }),
);
const server = fc.constantFrom('A', 'B', 'C', 'p/q', 'p_q', 'constructor');
const lists = fc.dictionary(server, fc.array(name, { maxLength: 8 }), { maxKeys: 5 });
const policies = fc.constantFrom('reject' as const, 'prefix' as const);
const perServer = fc.func<[string], 'reject' | 'prefix'>(policies);
const rulesOf = (all: Lists, how: (server: string) => 'reject' | 'prefix'): ToolRules[] =>
  Object.keys(all).map((each) => ruled(each, { onConflict: how(each) }));

describe('for any servers, tools and policies', () => {
  it('each listed name is listed once and finds its server and tool; each tool is listed, or refused with a reason', () => {
    fc.assert(
      fc.property(lists, perServer, (all, how) => {
        const table = buildTable(rulesOf(all, how), catalogsOf(all));
        const entries = offeredTools(table, isUp);
        expect(new Set(entries.map(({ shown }) => shown)).size).toBe(entries.length);
        for (const entry of entries) {
          expect(findTool(table, entry.shown)).toBe(entry);
          if (entry.renamed) expect(entry.shown).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        }
        const tools = Object.values(all).flat().length;
        expect(entries.length + table.refused.length).toBe(tools);
        for (const { failure } of table.refused) expect(failure).toMatchObject({ remedy: /./ });
      }),
    );
  });

  it('an original name finds a tool of that name, or nothing', () => {
    fc.assert(
      fc.property(lists, perServer, (all, how) => {
        const table = buildTable(rulesOf(all, how), catalogsOf(all));
        for (const each of Object.values(all).flat()) {
          const entry = findTool(table, each);
          if (entry) expect([entry.shown, entry.tool.name]).toContain(each);
          else expect(unresolved(table, each).code).toBe(4001);
        }
      }),
    );
  });

  it('names do not depend on the order in which servers came up, nor on how many tables were made on the way', () => {
    const shuffled = lists.chain((all) => {
      const servers = Object.keys(all);
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(servers, { minLength: servers.length }));
    });
    fc.assert(
      fc.property(shuffled, perServer, ([all, order], how) => {
        const rules = rulesOf(all, how);
        const straight = buildTable(rules, catalogsOf(all));
        let table = buildTable(rules, {});
        for (const n of order.keys()) {
          const listed = order.slice(0, n + 1).map((each) => [each, all[each] ?? []] as const);
          table = buildTable(rules, catalogsOf(Object.fromEntries(listed)), table);
        }
        expect(offered(table)).toEqual(offered(straight));
      }),
    );
  });

  it('names are the same after a restart with the same catalogs, before and after servers have come up', () => {
    fc.assert(
      fc.property(lists, fc.nat(), (all, n) => {
        const rules = Object.keys(all).map((each) => ruled(each, { ...prefix, lastTools: all[each] ?? [] }));
        const names = (table: ToolTable): string[] => offered(table);
        const whole = names(buildTable(rules, catalogsOf(all)));
        const [some] = [Object.keys(all)[n % Math.max(1, Object.keys(all).length)] ?? ''];
        const early = buildTable(rules, catalogsOf({ [some]: all[some] ?? [] }));
        expect(whole).toEqual(expect.arrayContaining(names(early)));
        expect(names(buildTable(rules, catalogsOf(all), early))).toEqual(whole);
      }),
    );
  });
});
