import { describe, expect, it } from 'vitest';
import {
  buildTable,
  findTool,
  offeredTools,
  toSmcpTool,
  unresolved,
  type ToolRules,
  type ToolTable,
} from '../index.ts';
import { ruled, catalogsOf, prefix, isUp, offered, found } from '../tables.given.ts';

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

  it('T10 is listed and called by it, and by its original name, too, while no other tool could be meant (the text of the issue: the case has the original not found)', () => {
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

  it('T13 does not meet the tool of that name of another server', () => {
    const rules = [ruled('a'), ruled('b', { toolMeta: { t: { alias: 'u' } } })];
    const table = buildTable(rules, catalogsOf({ a: ['t'], b: ['t'] }));
    expect([offered(table), table.refused]).toEqual([['t = a/t', 'u = b/t'], []]);
  });

  it.each([
    ['before', ['u', 't']],
    ['after', ['t', 'u']],
  ])('that is the name of another tool of its server is refused, listed %s that', (_, tools) => {
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

  it('that all tools of its server have by default_tool_meta is given to the first, and the others are told why not', () => {
    const rule = ruled('a', { defaultToolMeta: { alias: 'all' } });
    const table = buildTable([rule], catalogsOf({ a: ['s', 't'] }));
    expect(offered(table)).toEqual(['all = a/s']);
    expect(table.refused[0]?.failure).toMatchObject({
      message:
        "default_tool_meta.alias gives every tool of server 'a' the name 'all', also 't'; only 's' has it",
      remedy: `Take alias out of default_tool_meta of 'a'; a single tool is renamed with "tool_meta": {"t": {"alias": "a_t"}}`,
    });
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
  it('that is empty offers none', () => {
    expect(offered(buildTable([ruled('a', { onlyTools: [] })], catalogsOf({ a: ['t'] })))).toEqual([]);
  });
});

describe('a disabled tool', () => {
  it.each([['t'], ['u']])(
    'T11 is hidden and refused, forbidden as %s, by whichever name it is called',
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
  // The aim is 5 ms; ten times that, at the best of a few tries, for a busy machine.
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    expect(offeredTools(table, isUp).map(toSmcpTool)).toHaveLength(5_000);
    return performance.now() - start;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});

it('a list of one server is worked out with what the others brought before', () => {
  const asked: string[] = [];
  const rules = ['a', 'b', 'c'].map((server) =>
    Object.defineProperty(ruled(server), 'lastTools', {
      get: () => {
        asked.push(server);
        return ['old'];
      },
    }),
  );
  const table = buildTable(rules, catalogsOf({ a: ['t'] }));
  expect(asked).toEqual(['b', 'c']);
  const catalogs = catalogsOf({ a: ['t'], b: ['u'] });
  expect(offered(buildTable(rules, catalogs, table))).toEqual(['t = a/t', 'u = b/u']);
  expect(asked).toEqual(['b', 'c']);
  expect(offered(buildTable(rules, { ...catalogs, b: [] }, table))).toEqual(['t = a/t']);
});
