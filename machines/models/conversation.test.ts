import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConversation } from './conversation.ts';
import type { ModelTool, ReadCall } from './format.ts';

const inputSchema = { type: 'object' };
const on = (server: string, ...names: string[]): ModelTool[] =>
  names.map((name) => ({ name, server, original: name, inputSchema }));
const at = (computer: string, ...names: string[]): ModelTool[] =>
  names.map((name) => ({ name, computer, inputSchema }));
const namesOf = (tools: readonly ModelTool[], conversation = createConversation()): string[] =>
  conversation.offer(tools).definitions.map((one) => one.function.name);
const targetOf = (read: ReadCall): unknown =>
  read.ok ? [read.call.server.name, read.call.tool] : read.failure;
const valid = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

describe('the names that a model is given', () => {
  it('have the prefix of both servers where two have one name, in descriptions, too', () => {
    const { definitions } = createConversation().offer([...on('A', 'x', 'y'), ...on('B', 'x')]);
    expect(definitions.map((one) => [one.function.name, one.function.description])).toEqual([
      ['A_x', '[A] x'],
      ['y', 'y'],
      ['B_x', '[B] x'],
    ]);
  });

  it('stay what they were when another server comes with the same one', () => {
    const conversation = createConversation();
    conversation.offer(on('A', 'x'));
    expect(namesOf([...on('A', 'x'), ...on('B', 'x')], conversation)).toEqual(['x', 'B_x']);
    expect(targetOf(conversation.read({ name: 'x', arguments: {} }))).toEqual(['A', 'x']);
    expect(targetOf(conversation.read({ name: 'B_x', arguments: {} }))).toEqual(['B', 'x']);
  });

  it('are made for a tool of any name, which is called by the one it has', () => {
    const tools = on('s', 'a.b', 'a b', '中文', '日本', '', '9', '__proto__', 'constructor');
    const conversation = createConversation();
    const names = namesOf(tools, conversation);
    expect(new Set(names).size).toBe(tools.length);
    expect(names.filter((name) => !valid.test(name))).toEqual([]);
    expect(names.map((name) => targetOf(conversation.read({ name, arguments: {} })))).toEqual(
      tools.map(({ name }) => ['s', name]),
    );
  });

  it('are changed where a prefixed name is that of another tool', () => {
    const names = namesOf([...on('A', 'x', 'B_x'), ...on('B', 'x')]);
    expect(names.slice(0, 2)).toEqual(['A_x', 'B_x']);
    expect(names[2]).toMatch(/^x_[\da-f]{8}$/);
  });

  it('have 64 characters where they are too long, the same in every order and every process', () => {
    const long = on('s', 'n'.repeat(80), `${'n'.repeat(80)}m`);
    const names = namesOf(long);
    expect(names.map((name) => name.length)).toEqual([64, 64]);
    expect(namesOf(long.toReversed())).toEqual(names.toReversed());
    expect(names[0]).toBe(`${'n'.repeat(55)}_eafb2c05`);
  });

  it('tell computers apart where the server is not known', () => {
    expect(namesOf([...at('laptop', 'x'), ...at('desk', 'x', 'y')])).toEqual(['laptop_x', 'desk_x', 'y']);
  });

  it('tell by computer and server what neither tells alone', () => {
    const four = ['one', 'two'].flatMap((computer) =>
      ['A', 'B'].flatMap((server) => on(server, 'x').map((tool) => ({ ...tool, computer }))),
    );
    expect(namesOf(four)).toEqual(['one_A_x', 'one_B_x', 'two_A_x', 'two_B_x']);
  });
});

describe('a conversation', () => {
  it('keeps a prefix although the other tool is gone', () => {
    const conversation = createConversation();
    conversation.offer([...on('A', 'x'), ...on('B', 'x')]);
    expect(namesOf(on('A', 'x'), conversation)).toEqual(['A_x']);
  });

  it('says of a tool that vanished that it is gone, also when another one has its old name now', () => {
    const conversation = createConversation();
    conversation.offer(on('A', 'x'));
    expect(namesOf(on('B', 'x'), conversation)).toEqual(['B_x']);
    expect(conversation.read({ id: 'c', name: 'x', arguments: {} })).toEqual({
      ok: false,
      id: 'c',
      name: 'x',
      failure: {
        code: 'ToolNotFound',
        wireCode: 4001,
        message: "Tool 'x' is gone: it was offered earlier and is not there any more",
        details: { tool_name: 'x', gone: true },
      },
    });
  });

  it('knows a tool again that comes back, also when it is called otherwise by then', () => {
    const conversation = createConversation();
    conversation.offer(on('A', 'x'));
    conversation.offer([]);
    const [alias] = on('A', 'x').map((tool) => ({ ...tool, name: 'renamed' }));
    conversation.offer(alias ? [alias] : []);
    expect(targetOf(conversation.read({ name: 'x', arguments: {} }))).toEqual(['A', 'renamed']);
  });

  it('goes on with the same names and with ids of its own after it was kept as JSON', () => {
    const before = createConversation();
    before.offer(on('A', 'x'));
    before.read({ name: 'x', arguments: {} });
    const after = createConversation(JSON.parse(JSON.stringify(before.save())));
    expect(namesOf([...on('B', 'x'), ...on('A', 'x')], after)).toEqual(['B_x', 'x']);
    const read = after.read({ name: 'x', arguments: {} });
    expect(read.ok && read.call.id).toBe('a2c_call_2');
  });

  it('offers a tool that it was given twice once, and says so', () => {
    const [tool] = on('A', 'x');
    const { definitions, refused } = createConversation().offer([...on('A', 'x', 'x')]);
    expect(definitions).toHaveLength(1);
    expect(refused).toEqual([{ tool, reason: "'x' was given twice" }]);
  });

  it('says of each tool who has it, with what a host shows of a server', () => {
    const shown = { name: 'S', icons: '🔧', descriptions: 'tools' };
    const tools = [
      { name: 'a', inputSchema, server: shown },
      { name: 'b', inputSchema, server: 'S' },
      { name: 'c', inputSchema, computer: 'laptop' },
    ];
    const { definitions } = createConversation().offer(tools);
    const bare = (name: string): object => ({ name, icons: '', descriptions: '' });
    expect(definitions.map(({ server }) => server)).toEqual([shown, bare('S'), bare('laptop')]);
    const targets = [{ tool: 'a' }, { tool: 'b' }, { computer: 'laptop', tool: 'c' }];
    expect(definitions.map(({ target }) => target)).toEqual(targets);
  });

  it('gives the name of a tool where nobody described it', () => {
    const { definitions } = createConversation().offer([
      { name: 'shown', original: 'own', server: 's', description: '', inputSchema },
      { name: 'bare', inputSchema },
    ]);
    expect(definitions.map((one) => one.function.description)).toEqual(['own', 'bare']);
  });
});

describe('whatever servers and tools there are', () => {
  const word = fc.oneof(
    fc.constantFrom('x', 'y', 'A', 'B', 'A_x', 'B_x', 'A_B_x', 'a.b', 'a b', '中文', '', 'n'.repeat(70)),
    fc.string({ unit: 'grapheme', maxLength: 70 }),
  );
  const tool: fc.Arbitrary<ModelTool> = fc.record(
    { name: word, server: word, computer: word, original: word, inputSchema: fc.constant(inputSchema) },
    { requiredKeys: ['name', 'inputSchema'] },
  );
  const tools = fc.array(tool, { maxLength: 12 });

  it('names are unique, valid, and lead back to their tool', () => {
    fc.assert(
      fc.property(tools, (given) => {
        const conversation = createConversation();
        const { definitions, refused } = conversation.offer(given);
        const names = definitions.map((one) => one.function.name);
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => !valid.test(name))).toEqual([]);
        const kept = given.filter((one) => !refused.some((other) => other.tool === one));
        expect(names).toHaveLength(kept.length);
        for (const [n, name] of names.entries()) {
          const read = conversation.read({ name, arguments: '{"a":1}' });
          expect(read.ok && [read.call.computer, read.call.tool, read.call.arguments]).toEqual([
            kept[n]?.computer,
            kept[n]?.name,
            { a: 1 },
          ]);
        }
      }),
    );
  });

  it('names do not depend on the order in which they stand', () => {
    fc.assert(
      fc.property(tools, fc.infiniteStream(fc.nat()), (given, order) => {
        const { refused } = createConversation().offer(given);
        const distinct = given.filter((one) => !refused.some((other) => other.tool === one));
        const shuffled = distinct
          .map((one) => ({ one, rank: order.next().value }))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ one }) => one);
        const named = (some: readonly ModelTool[]): Map<ModelTool | undefined, string> =>
          new Map(namesOf(some).map((name, n) => [some[n], name]));
        const [first, second] = [named(distinct), named(shuffled)];
        for (const one of distinct) expect(second.get(one)).toBe(first.get(one));
      }),
    );
  });

  it('no name that was used ever means another tool, however the list changes', () => {
    fc.assert(
      fc.property(fc.array(tools, { minLength: 1, maxLength: 6 }), (turns) => {
        const conversation = createConversation();
        const meaning = new Map<string, string>();
        const identity = (one: ModelTool): string =>
          JSON.stringify([one.computer, one.server, one.server ? one.original || one.name : one.name]);
        for (const turn of turns) {
          const { definitions, refused } = conversation.offer(turn);
          const kept = turn.filter((one) => !refused.some((other) => other.tool === one));
          for (const [n, { function: offer }] of definitions.entries()) {
            const [one] = kept.slice(n);
            const is = one ? identity(one) : '';
            expect(meaning.get(offer.name) ?? is).toBe(is);
            meaning.set(offer.name, is);
          }
          const here = new Set(definitions.map((one) => one.function.name));
          for (const name of meaning.keys())
            expect(conversation.read({ name, arguments: {} }).ok).toBe(here.has(name));
        }
      }),
    );
  });
});

describe('skills that a model is offered', () => {
  const skill = (computer: string, name: string, description = 'x') => ({ computer, name, description });
  const asked = (read: ReadCall): unknown => (read.ok ? read.call.skill : read.failure);

  it('add no tool while there are none', () => {
    expect(createConversation().offer(on('s', 'x'), { skills: [] }).definitions).toHaveLength(1);
  });
  it('are read by one tool, also two of one name, and one that a server has keeps another name', () => {
    const conversation = createConversation();
    const skills = [skill('a', 'pdf'), skill('b', 'pdf'), skill('b', 'mcp:s:word')];
    const { definitions } = conversation.offer(on('s', 'read_skill'), { skills });
    expect(definitions.map(({ function: { name } }) => name)).toEqual([
      's_read_skill',
      expect.stringMatching(/^read_skill_[\da-f]{8}$/),
    ]);
    const name = definitions[1]?.function.name ?? '';
    const read = (args: object): unknown => asked(conversation.read({ name, arguments: args }));
    const file = (skill: string, more = {}): object => ({
      kind: 'file',
      of: { computer: 'b', skill, ...more },
    });
    expect(read({ skill: 'b/pdf', path: 'x.md' })).toEqual(file('pdf', { path: 'x.md' }));
    expect(read({ skill: 'mcp:s:word' })).toEqual(file('mcp:s:word'));
    expect(read({ skill: 'pdf' })).toMatchObject({ kind: 'failed', failure: { code: 'ServerNotFound' } });
    expect(read({})).toEqual({ kind: 'list', text: '- a/pdf: x\n- b/pdf: x\n- mcp:s:word: x' });
    expect(asked(conversation.read({ name: 's_read_skill', arguments: {} }))).toBeUndefined();
  });
  it('have one line each in the description, at most 50', () => {
    const long = `one\n- fake: ${'y'.repeat(999)}`;
    const skills = Array.from({ length: 60 }, (_, n) => skill('c', `s${n}`, long));
    const [tool] = createConversation().offer([], { skills }).definitions;
    const lines = tool?.function.description.split('\n') ?? [];
    expect(lines).toHaveLength(52);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(350);
    expect(lines.at(-1)).toBe('and 10 more: call without "skill"');
  });
});
