import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tool } from './entries.ts';
import {
  buildTable,
  emptyTable,
  findTool,
  offeredTools,
  placedNames,
  prefixed,
  unresolved,
  type ToolTable,
  type ToolRules,
} from './tool-table.ts';
import { toSmcpTool } from './tool.ts';

export type Lists = Readonly<Record<string, readonly string[]>>;
export const toolOf = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
export const ruled = (server: string, more: Partial<ToolRules> = {}): ToolRules => ({
  server,
  forbiddenTools: [],
  toolMeta: {},
  defaultToolMeta: null,
  ...more,
});
export const catalogsOf = (lists: Lists): Record<string, readonly Tool[]> =>
  Object.fromEntries(Object.entries(lists).map(([server, tools]) => [server, tools.map(toolOf)]));
export const prefix = { onConflict: 'prefix' } as const;
export const tableOf = (
  lists: Lists,
  more: Partial<ToolRules> = {},
  before: ToolTable = emptyTable,
): ToolTable =>
  buildTable(
    Object.keys(lists).map((server) => ruled(server, more)),
    catalogsOf(lists),
    before,
  );
export const isUp = (): boolean => true;
/** Tools on offer as texts: `A_x = A/x` is tool `x` of server `A` under the name `A_x`. */
export const offered = (table: ToolTable): string[] =>
  offeredTools(table, isUp).map(({ shown, server, tool }) => `${shown} = ${server}/${tool.name}`);
export const found = (table: ToolTable, name: string): string | undefined => {
  const entry = findTool(table, name);
  return entry && `${entry.server}/${entry.tool.name}`;
};

describe('a name with the server before it', () => {
  it.each([
    ['p/q', 'x', 'p_q_x'],
    ['a', 'b c.d', 'a_b_c_d'],
    ['文件', '🐢', '____'],
  ])('keeps of %s and %s what every model takes', (server, tool, name) => {
    expect(prefixed(server, tool)).toBe(name);
  });

  it('is cut where it is too long, and ends with a mark then', () => {
    expect(prefixed('server', 'x'.repeat(57))).toHaveLength(64);
    const [long, other] = ['y', 'z'].map((end) => prefixed('server', 'x'.repeat(80) + end));
    expect(long).toMatch(/^server_x{48}_[0-9a-f]{8}$/);
    expect(other).not.toBe(long);
  });
});

/** Random names from a small set, so that conflicts occur; some look like names that the table makes. */
const name = fc.oneof(
  fc.constantFrom('x', 'b', 'a_x', 'a_a_x', 'a b', 'a.b'),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(70), '文', '__proto__', 'constructor'),
  fc.string({ minLength: 1, maxLength: 80 }),
);
const server = fc.constantFrom('a', 'b', 'a_a', 'a b', 'a.b', 'p/q', 'constructor', 's'.repeat(70));
const claimsOf = fc.uniqueArray(fc.record({ server, shown: name, isYielding: fc.constant(true) }), {
  selector: ({ server, shown }) => JSON.stringify([server, shown]),
  maxLength: 30,
});
describe('SERVER.TOOL', () => {
  it.each([[{}], [prefix]])(
    'names the tool of each server where two servers have the name, under %j',
    (more) => {
      const table = tableOf({ a: ['pay'], b: ['pay'] }, more);
      expect(['a.pay', 'b.pay'].map((name) => findTool(table, name)?.server)).toEqual(['a', 'b']);
    },
  );
  it('that nobody has is never corrected to the tool of another server', () => {
    const table = tableOf({ a: ['pay'], b: ['pay'] });
    expect(unresolved(table, 'c.pay').remedy).not.toContain('.pay');
    expect(unresolved(table, 'b.pai').remedy).toContain("'b.pay'");
  });
});

describe('whatever servers have', () => {
  it('exactly the tools whose name another server has are renamed', () => {
    fc.assert(
      fc.property(claimsOf, (claims) => {
        for (const [{ server, shown }, { step }] of placedNames(claims).placed)
          expect(step > 0).toBe(claims.some((c) => c.shown === shown && c.server !== server));
      }),
    );
  });

  it('a further tool never gives another one back a name that it had to give up', () => {
    fc.assert(
      fc.property(claimsOf, fc.nat(), (claims, n) => {
        const some = placedNames(claims.filter((_, at) => at !== n % Math.max(1, claims.length)));
        const { placed } = placedNames(claims);
        for (const [one, { step }] of some.placed) expect(placed.get(one)?.step).toBeGreaterThanOrEqual(step);
      }),
    );
  });
});

describe('a tool with an alias', () => {
  it.each([{}, prefix])(
    'leaves its original name to a server that has not started yet and had it: %j',
    (more) => {
      const own = ruled('A', { toolMeta: { x: { alias: 'u' } }, ...more });
      const table = (lastTools: readonly string[]) =>
        buildTable([own, ruled('B', { lastTools, ...more })], catalogsOf({ A: ['x'] }));
      expect([found(table(['x']), 'u'), found(table(['x']), 'x')]).toEqual(['A/x', undefined]);
      expect(found(table(['y']), 'x')).toBe('A/x');
    },
  );

  const aliased = (toolMeta: ToolRules['toolMeta'], ...tools: readonly string[]): ToolTable =>
    buildTable([ruled('a', { toolMeta })], catalogsOf({ a: tools }));

  it('is listed and called by it, and by its original name, too, while no other tool could be meant', () => {
    const table = aliased({ t: { alias: 'u' } }, 't');
    expect([offered(table), found(table, 'u'), found(table, 't')]).toEqual([['u = a/t'], 'a/t', 'a/t']);
    const two = { ...ruled('a', { toolMeta: { t: { alias: 'u' } } }) };
    const other = buildTable([two, ruled('b')], catalogsOf({ a: ['t'], b: ['t'] }));
    expect([found(other, 't'), found(other, 'u')]).toEqual(['b/t', 'a/t']);
    const both = buildTable(
      ['a', 'b'].map((server) => ruled(server, { toolMeta: { t: { alias: `${server}t` } } })),
      catalogsOf({ a: ['t'], b: ['t'] }),
    );
    expect([found(both, 'at'), found(both, 'bt'), found(both, 't')]).toEqual(['a/t', 'b/t', undefined]);
  });

  it.each([
    ['before', ['u', 't']],
    ['after', ['t', 'u']],
  ])('an alias that is the name of another tool of its server is refused, listed %s that', (_, tools) => {
    const table = aliased({ t: { alias: 'u' } }, ...tools);
    expect(offered(table)).toEqual(['u = a/u']);
    expect(table.refused).toMatchObject([
      {
        ...{ name: 'u', server: 'a' },
        failure: {
          message: `Server 'a' has two tools 'u': 'u', and 't' by its alias`,
          remedy: `Give it another alias in the config of 'a': "tool_meta": {"t": {"alias": "a_t"}}`,
        },
      },
    ]);
    expect(found(table, 't')).toBeUndefined();
  });
});

describe('a list of the only tools', () => {
  it('hides all others, and names them by what their server calls them', () => {
    const rule = ruled('a', { onlyTools: ['t', 'v'], toolMeta: { w: { alias: 'v' }, t: { alias: 'u' } } });
    const table = buildTable([rule], catalogsOf({ a: ['t', 'w', 'x', 'v'] }));
    expect(offered(table)).toEqual(['u = a/t', 'v = a/v']);
    for (const each of ['w', 'x']) {
      expect(findTool(table, each)).toBeUndefined();
      expect(unresolved(table, each)).toMatchObject({ code: 4002 });
    }
  });
  it('an empty list of the only tools offers none', () => {
    expect(offered(buildTable([ruled('a', { onlyTools: [] })], catalogsOf({ a: ['t'] })))).toEqual([]);
  });
});

describe('a disabled tool', () => {
  it.each([['t'], ['u']])(
    'is hidden and refused, forbidden as %s, by whichever name it is called',
    (name) => {
      const rule = ruled('a', { forbiddenTools: [name], toolMeta: { t: { alias: 'u' } } });
      const table = buildTable([rule], catalogsOf({ a: ['t', 'v'] }));
      expect(offered(table)).toEqual(['v = a/v']);
      for (const each of ['t', 'u']) {
        expect(findTool(table, each)).toBeUndefined();
        expect(unresolved(table, each)).toMatchObject({ code: 4002 });
      }
    },
  );

  it.each(['reject', 'prefix'] as const)('takes no name from another server with %s', (onConflict) => {
    const rules = [ruled('a', { forbiddenTools: ['t'], onConflict }), ruled('b', { onConflict })];
    const table = buildTable(rules, catalogsOf({ a: ['t'], b: ['t'] }));
    expect([offered(table), table.refused, found(table, 't')]).toEqual([['t = b/t'], [], 'b/t']);
  });
});

it('5,000 tools of 100 servers are listed, and a change of one server leaves the entries of all others what they are', () => {
  const all = Object.fromEntries(
    Array.from({ length: 100 }, (_, s) => [
      `s${s}`,
      Array.from({ length: 50 }, (_, t) => `tool${t + (s % 2) * s * 50}`),
    ]),
  );
  const rules = Object.keys(all).map((each) => ruled(each, prefix));
  const catalogs = catalogsOf(all);
  const table = buildTable(rules, catalogs);
  const before = offeredTools(table, isUp);
  expect(before).toHaveLength(5_000);
  const after = offeredTools(buildTable(rules, { ...catalogs, s1: [] }, table), isUp);
  expect(after).toHaveLength(4_950);
  const known = new Set(before);
  expect(after.filter((entry) => !known.has(entry))).toEqual([]);
  expect(offeredTools(table, isUp).map(toSmcpTool)).toHaveLength(5_000);
});

describe('two servers with one tool name, and reject', () => {
  const table = tableOf({ a: ['t', 's'], b: ['r', 't'] });

  it('the newcomer is refused by name, with both servers and the alias to write; every other tool of both is there', () => {
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
});

describe('two servers with one tool name, and prefix', () => {
  it('both are called by their server and their name, which their descriptions begin with, too', () => {
    const table = tableOf({ A: ['x', 'y'], B: ['x'] }, prefix);
    expect([offered(table), table.refused]).toEqual([['A_x = A/x', 'y = A/y', 'B_x = B/x'], []]);
    expect(offeredTools(table, isUp).map((entry) => toSmcpTool(entry).description)).toEqual([
      ...['[A] None', 'None', '[B] None'],
    ]);
    expect(findTool(table, 'B_x')?.renamed).toEqual({ from: 'x', servers: ['A', 'B'] });
  });

  it('the bare name is not found, and what can be called instead is said', () => {
    const alone = tableOf({ A: ['x'] }, prefix);
    expect(found(alone, 'x')).toBe('A/x');
    const table = tableOf({ A: ['x'], B: ['x'] }, prefix, alone);
    expect(findTool(table, 'x')).toBeUndefined();
    expect(unresolved(table, 'x')).toMatchObject({
      ...{ code: 4001, details: { tool_name: 'x', names: ['A_x', 'B_x'] } },
      remedy: 'Call it by its own name: A_x, B_x',
    });
  });

  it('an unknown name is answered with the name of the nearest tool', () => {
    const table = tableOf({ A: ['read_file', 'write_file'] }, prefix);
    expect(unresolved(table, 'raed_file').remedy).toMatch(/^Did you mean 'read_file'\? List the tools/);
    expect(unresolved(table, 'frobnicate').remedy).toMatch(/^List the tools/);
  });

  it('what no model takes in the name of a tool is replaced; names that come out equal have marks, and each is called as its server knows it', () => {
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

  it('a tool that has that name by nature keeps it: three names for three tools', () => {
    const table = tableOf({ A: ['x', 'B_x'], B: ['x'] }, prefix);
    const [first, second, third] = offeredTools(table, isUp).map(({ shown }) => shown);
    expect([first, second]).toEqual(['A_x', 'B_x']);
    expect(third).toMatch(/^B_x_[0-9a-f]{8}$/);
    expect([found(table, 'B_x'), found(table, third ?? '')]).toEqual(['A/B_x', 'B/x']);
  });

  it.each(['reject', 'prefix'] as const)(
    'one server that lists a tool twice has no conflict: the second is dropped, and is seen to be (%s)',
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

  it('a server that is down keeps its names and the others theirs; who leaves the config gives them back', () => {
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

  it('a server with reject is refused only after another with reject', () => {
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
    // The current tools of a server replace those of its last run; a tool that had a conflict keeps its prefixed name.
    const later = buildTable(rules, catalogsOf({ A: ['x', 'z'], B: ['y'] }), table);
    expect(offered(later)).toEqual(['A_x = A/x', 'z = A/z', 'y = B/y']);
  });

  it('is not given for what one server had before another came to have it', () => {
    const before = tableOf({ A: ['x'], B: [] }, prefix, tableOf({ A: ['x'] }, prefix));
    const after = tableOf({ A: [], B: ['x'] }, prefix, tableOf({ A: [], B: [] }, prefix, before));
    expect(offered(after)).toEqual(['x = B/x']);
  });

  it('the name of a server that makes up conflicts without end is forgotten at last', () => {
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

const lists = fc.dictionary(server, fc.array(name, { maxLength: 8 }), { maxKeys: 5 });
const policies = fc.constantFrom('reject' as const, 'prefix' as const);
const perServer = fc.func<[string], 'reject' | 'prefix'>(policies);
const rulesOf = (all: Lists, how: (server: string) => 'reject' | 'prefix'): ToolRules[] =>
  Object.keys(all).map((each) => ruled(each, { onConflict: how(each) }));

describe('any servers, tools and policies', () => {
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

  it('an original name finds a tool of that name, one of the server that it names, or nothing', () => {
    fc.assert(
      fc.property(lists, perServer, (all, how) => {
        const table = buildTable(rulesOf(all, how), catalogsOf(all));
        for (const each of Object.values(all).flat()) {
          const entry = findTool(table, each);
          const { shown, server, tool } = entry ?? {};
          if (entry) expect([shown, tool?.name, `${server}.${tool?.name}`]).toContain(each);
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
        const whole = offered(buildTable(rules, catalogsOf(all)));
        const some = Object.keys(all)[n % Math.max(1, Object.keys(all).length)] ?? '';
        const early = buildTable(rules, catalogsOf({ [some]: all[some] ?? [] }));
        expect(whole).toEqual(expect.arrayContaining(offered(early)));
        expect(offered(buildTable(rules, catalogsOf(all), early))).toEqual(whole);
      }),
    );
  });
});

describe('a tool whose name a person would misread', () => {
  it.each([
    ['get_ok\n\u001b[2J y', String.raw`get_ok\n\u001b[2J y`],
    ['read_file\u202eexe', String.raw`read_file\u202eexe`],
    ['read\u200bfile', String.raw`read\u200bfile`],
    ['read_file ', 'read_file '],
    ['a\u2028b', String.raw`a\u2028b`],
    ['\u0085x', String.raw`\u0085x`],
  ])('%j is not offered, and is told with escapes', (name, told) => {
    const table = tableOf({ a: [name, 'fine'] });
    expect(offered(table)).toEqual(['fine = a/fine']);
    const [refused] = table.refused;
    expect(refused).toMatchObject({ name: told, failure: { details: { tool_name: told } } });
    expect(refused?.failure.message).toContain(`Tool '${told}' of 'a' is not offered: a name`);
  });
});
