import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import { parseConfig } from './parse.ts';
import { placeholdersIn, renderWith, type Lookup } from './placeholders.ts';
import { shownServer } from '../secrets/shown.ts';

/** Replaces each placeholder by an object, so that the test sees that types are kept. */
const held: Lookup = ({ kind, name }) => ({ value: `<${kind} ${name}>` });
const of =
  (inputs: Readonly<Record<string, unknown>>, variables: Readonly<Record<string, unknown>> = {}): Lookup =>
  ({ kind, name }) => {
    const from = kind === 'input' ? inputs : variables;
    return Object.hasOwn(from, name) ? { value: from[name] } : undefined;
  };
const rendered = (value: unknown, lookup: Lookup): unknown => {
  const made = renderWith(value, lookup);
  return made.ok ? made.value : expect.unreachable(JSON.stringify(made.missing));
};

describe('placeholders', () => {
  it('are found in values, each once, in order', () => {
    const value = {
      a: 'x${input:one}${input:two words}',
      b: ['${input:one}', { '${input:key}': '${env:no} $input:no ${input:}' }],
    };
    expect(placeholdersIn(value)).toEqual(['one', 'two words']);
    expect(placeholdersIn(3)).toEqual([]);
  });

  it('cost no more than others when they never end', () => {
    for (const opening of ['${input:', '${env:', '${', '${env:${input:', '${input:}${env:}'])
      for (const end of ['', '}', ' }']) {
        const text = opening.repeat(100_000) + end;
        expect(placeholdersIn(text).length).toBeLessThanOrEqual(1);
        expect(renderWith(text, held).ok).toBe(true);
        expect(renderWith({ args: `${text}$` }, held, new Set(['args'])).ok).toBe(true);
        const config = { mcpServers: { a: { command: 'x', args: [text] } } };
        expect(parseConfig(config).ok).toBe(true);
      }
    expect(renderWith(`\${env:${'a'.repeat(1_000_000)}}`, held)).toMatchObject({ ok: true });
    expect(parseConfig({ mcpServers: { a: { url: `http://${'a'.repeat(1_000_000)} ` } } }).ok).toBe(false);
  });

  it('are expanded as shells write them, where that is wanted, and nothing else is', () => {
    const expanded = (text: string): unknown => {
      const made = renderWith({ args: text, other: text }, held, new Set(['args']));
      return made.ok ? (made.value as { args: unknown }).args : expect.unreachable();
    };
    const rows = [
      ['$A', '<expanded A>'],
      ['${A_1}x', '<expanded A_1>x'],
      ['$A$B', '<expanded A><expanded B>'],
      ['${A:-b c}', '<expanded A>'],
      ['${env:A:-b}', '<expanded A>'],
      ['${env:A}${input:i j}', '<env A><input i j>', '<env A><input i j>'],
      ['~/a', '<expanded ~>/a'],
      ...'$ $$ $1 ${1} ${} ${a-b} ${A:x} ${A a~ ~b %A% ~${input:i'.split(' '),
      ...['${input:i $A', '${env:}', '${env:a b}', '${env:a=b}', '${input:}', `\${env:${'a'.repeat(257)}}`],
    ];
    for (const row of rows) {
      const [text = '', wanted = text, plain = text] = [row].flat();
      expect(expanded(text), text).toBe(wanted);
      expect(rendered(text, held), text).toBe(plain);
    }
  });

  it('may stand for a URL in both kinds, and are shown where values are hidden', () => {
    const headers = { A: '${env:TOKEN}', B: 'secret', C: '${TOKEN}' };
    const [server] = readConfig([
      { name: 'a', type: 'sse', server_parameters: { url: '${env:BASE}/mcp', headers } },
    ]).servers;
    expect(server && shownServer(server.raw)).toMatchObject({
      server_parameters: { url: '${env:BASE}/mcp', headers: { A: '${env:TOKEN}', B: '***', C: '***' } },
    });
  });
});

describe('rendering', () => {
  it('leaves a value without placeholders as it is, and its own copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (JSON.stringify(value).includes('${')) return;
        expect(rendered(value, held)).toEqual(value);
      }),
    );
    const value = { a: [1] };
    expect((rendered(value, held) as typeof value).a).not.toBe(value.a);
  });

  it('gives a text that is one placeholder the value itself, of whatever type', () => {
    for (const value of [{ a: { b: 1 } }, [1], 42, true, false, null, '', 'text'])
      expect(rendered(['${input:a}', '${env:B}'], of({ a: value }, { B: 'x' }))).toEqual([value, 'x']);
  });

  it('writes the value as text where anything else stands beside it', () => {
    const lookup = of({ x: 42, y: 'ok', yes: true, none: null, deep: { a: [1] } }, { HOME: 'h' });
    expect(rendered('A=${input:x},B=${input:y}', lookup)).toBe('A=42,B=ok');
    expect(rendered('${env:HOME}/${input:yes}/${input:none}', lookup)).toBe('h/true/null');
    expect(rendered(' ${input:deep}', lookup)).toBe(' {"a":[1]}');
    expect(rendered('${input:x}${input:x}', lookup)).toBe('4242');
  });

  it('goes through objects and lists at any depth, and never into keys', () => {
    const value = { '${input:a}': ['${input:a}', { deeper: { still: '${input:a}!' } }] };
    expect(rendered(value, of({ a: 1 }))).toEqual({ '${input:a}': [1, { deeper: { still: '1!' } }] });
  });

  it('does not render again what a value brings in', () => {
    const lookup = of({ a: '${input:b}', c: { d: '${env:E}' }, '${input:a': 1 }, { E: 'never' });
    expect(rendered(['${input:a}', 'x${input:a}', '${input:c}'], lookup)).toEqual([
      ...['${input:b}', 'x${input:b}', { d: '${env:E}' }],
    ]);
  });

  it('names everything that is missing, each once and in order, instead of a half-filled value', () => {
    const value = ['${input:b} ${env:Z}', { x: '${input:a}', y: '${env:A}${env:Z}' }, '${input:b}${input:c}'];
    expect(renderWith(value, of({ c: 1 }))).toEqual({
      ok: false,
      missing: { inputs: ['b', 'a'], variables: ['Z', 'A'] },
    });
  });

  it('takes names of objects for names and nothing else', () => {
    expect(renderWith('${input:constructor}${env:__proto__}', of({}))).toMatchObject({
      missing: { inputs: ['constructor'], variables: ['__proto__'] },
    });
    const hostile: unknown = JSON.parse('{"__proto__": {"isAdmin": "${input:a}"}, "constructor": 1}');
    const made = rendered(hostile, of({ a: true })) as { isAdmin?: boolean };
    expect(JSON.stringify(made)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
    expect(made.isAdmin).toBeUndefined();
  });
});
