import { during } from '../../clock.ts';
import {
  pathText,
  readJson,
  type JsonText,
  type Mistake,
  type Path,
} from '../../../machines/config/index.ts';

const broken = (
  name: string,
  at: { line: number; column: number } | undefined,
  message: string,
): JsonText => {
  const where = at ? ` at ${at.line}:${at.column} (line:column)` : '';
  return { ok: false, mistake: { path: '', message: `is not valid ${name}${where}: ${message}` } };
};
/** What JSON can say and nothing else: no dates, no shared parts. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null') as unknown;

/** None quotes the text. */
const yamlReasons: Readonly<Record<string, string>> = {
  BAD_INDENT: 'this line has another indent than it needs',
  TAB_AS_INDENT: 'a tab indents nothing in YAML; use spaces',
  MULTIPLE_DOCS: 'there are several documents in it',
  MISSING_CHAR: 'a quote or a bracket is not closed, or a colon is missing',
  BAD_ALIAS: 'an alias without its anchor',
  UNEXPECTED_TOKEN: 'something stands here that does not belong here',
  BLOCK_AS_IMPLICIT_KEY: 'a key with a list or an object inside its line',
};
async function readYaml(text: string): Promise<JsonText> {
  const { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, visit } = await during(import('yaml'));
  /** Keys and numbers on the way to the last of these nodes. */
  const pathOf = (nodes: readonly unknown[]): Path =>
    nodes.flatMap((node, n): Path => {
      const outer = nodes[n - 1];
      if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : ['?'];
      return isSeq(outer) && (isMap(node) || isSeq(node)) ? [outer.items.indexOf(node)] : [];
    });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [first] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
  if (first) return broken('YAML', at(first.pos[0]), yamlReasons[first.code] ?? 'this cannot be read');
  const duplicates: Mistake[] = [];
  visit(document, {
    Map: (_, map, parents) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const { line, column } = at(key.range?.[0] ?? 0);
        const path = pathText([...pathOf([...parents, map]), name]);
        if (seen.has(name))
          duplicates.push({ path, message: `a key stands twice in its object, again at ${line}:${column}` });
        seen.add(name);
      }
    },
  });
  try {
    return { ok: true, value: plain(document.toJS({ maxAliasCount: 100 })), duplicates };
  } catch {
    return broken('YAML', undefined, 'its aliases have no end');
  }
}
async function readToml(text: string): Promise<JsonText> {
  const { parse, TomlError } = await during(import('smol-toml'));
  try {
    return { ok: true, value: plain(parse(text)), duplicates: [] };
  } catch (error) {
    if (!(error instanceof TomlError)) return broken('TOML', undefined, 'this cannot be read');
    const isTwice = /redefine|already defined|duplicate/i.test(error.message);
    return broken('TOML', error, isTwice ? 'a key stands twice' : 'this cannot be read');
  }
}

/** A text as the end of its file's name says; JSON where that says nothing. The parsers of the others are loaded for them only. */
export async function readFormat(text: string, file: string): Promise<JsonText> {
  if (/\.ya?ml$/i.test(file)) return readYaml(text);
  if (/\.toml$/i.test(file)) return readToml(text);
  return readJson(text);
}

/** A value as such a text. */
export async function writtenAs(format: 'json' | 'yaml' | 'toml', value: unknown): Promise<string> {
  if (format === 'yaml') return (await during(import('yaml'))).stringify(value, { lineWidth: 0 });
  if (format === 'toml') return `${(await during(import('smol-toml'))).stringify(value)}\n`;
  return `${JSON.stringify(value, null, 2)}\n`;
}
