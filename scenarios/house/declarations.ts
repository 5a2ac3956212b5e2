import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor, type Comment, type Node, type Statement } from 'oxc-parser';

/** What one `.d.ts` declares, imports and exports. */
export interface Declarations {
  readonly file: string;
  /** Name → its statements: an interface or an overloaded function may have several. */
  readonly own: Map<string, Declared>;
  /** Name → where it comes from, and what it is called there. */
  readonly from: Map<string, readonly [module: string, name: string]>;
  /** The names that it exports, its own and those of others. */
  readonly exported: Set<string>;
  readonly comments: readonly Comment[];
  readonly text: string;
}
export interface Declared {
  readonly nodes: Node[];
  /** Where the statement begins, with its `export`: a comment stands before that. */
  readonly start: number;
}

const cache = new Map<string, Declarations>();

/** Parses a file of `dist` once. */
export function declarationsOf(file: string): Declarations {
  const known = cache.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text);
  const found: Declarations = {
    file,
    text,
    comments,
    own: new Map(),
    from: new Map(),
    exported: new Set(),
  };
  cache.set(file, found);
  for (const statement of program.body) enter(found, statement);
  return found;
}

const textOf = (node: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string =>
  String(node.name ?? node.value);

function enter(found: Declarations, statement: Statement): void {
  if (statement.type === 'ImportDeclaration') {
    for (const specifier of statement.specifiers)
      if (specifier.type === 'ImportSpecifier')
        found.from.set(specifier.local.name, [statement.source.value, textOf(specifier.imported)]);
      else found.from.set(specifier.local.name, [statement.source.value, '*']);
    return;
  }
  const isExport = statement.type === 'ExportNamedDeclaration';
  if (isExport)
    for (const { local, exported } of statement.specifiers) {
      found.exported.add(textOf(exported));
      if (statement.source) found.from.set(textOf(exported), [statement.source.value, textOf(local)]);
    }
  const node = isExport ? statement.declaration : statement;
  if (!node) return;
  const ids = 'declarations' in node ? node.declarations.map(({ id }) => id) : 'id' in node ? [node.id] : [];
  for (const id of ids) {
    if (id?.type !== 'Identifier') continue;
    const declared = found.own.get(id.name) ?? { nodes: [], start: statement.start };
    declared.nodes.push(node);
    found.own.set(id.name, declared);
    if (isExport) found.exported.add(id.name);
  }
}

/** A declaration by the file that has it, however often it is exported again. */
export interface Place {
  readonly file: string;
  readonly name: string;
}
export const keyOf = ({ file, name }: Place): string => `${file}#${name}`;

/** Where a name that stands in a file is declared; the name of a package; undefined: the language knows it. */
export function placeOf(file: string, name: string): Place | string | undefined {
  const { own, from } = declarationsOf(file);
  const source = from.get(name);
  if (!source) return own.has(name) ? { file, name } : undefined;
  return source[0].startsWith('.') ? placeOf(fileAt(file, source[0]), source[1]) : source[0];
}
const fileAt = (file: string, module: string): string => {
  const path = join(dirname(file), module);
  // What is written in JavaScript declares beside itself.
  const found = [path.replace(/\.[jt]s$/, '.d.ts'), path.replace(/\.mjs$/, '.d.mts')].find(
    (each) => each !== path && existsSync(each),
  );
  if (!found) throw new Error(`${file} names ${module}, which is not built`);
  return found;
};

/** A name in a type, and whether it is that of a value (`typeof x`). */
interface Named {
  readonly place: Place | string;
  readonly isValue: boolean;
}
/** All that a declaration names, types of the language and type parameters aside. */
export function namedBy({ file, name }: Place): Named[] {
  const found: Named[] = [];
  const take = (place: Place | string | undefined, isValue = false): void => {
    if (place !== undefined) found.push({ place, isValue });
  };
  const leftOf = (node: Node): string | undefined =>
    node.type === 'TSQualifiedName' ? leftOf(node.left) : node.type === 'Identifier' ? node.name : undefined;
  const refer = (node: Node, isValue = false): void => {
    const left = leftOf(node);
    if (left !== undefined) take(placeOf(file, left), isValue);
  };
  const visitor = new Visitor({
    TSTypeReference: ({ typeName }) => refer(typeName),
    TSTypeQuery: ({ exprName }) => refer(exprName, true),
    TSInterfaceHeritage: ({ expression }) => refer(expression),
    TSClassImplements: ({ expression }) => refer(expression),
    TSImportType: ({ source, qualifier }) => {
      const module = source.value;
      if (!module.startsWith('.')) take(module);
      else if (qualifier?.type === 'Identifier') take(placeOf(fileAt(file, module), qualifier.name));
    },
    ClassDeclaration: ({ superClass }) => {
      if (superClass) refer(superClass);
    },
  });
  for (const node of declarationsOf(file).own.get(name)?.nodes ?? [])
    visitor.visit({ type: 'Program', body: [node] } as never);
  return found;
}

/** What is written before a node as `/** … *\/`. */
export function docOf({ file }: Place, start: number): string | undefined {
  const { comments, text } = declarationsOf(file);
  const before = comments.findLast(
    (comment) => comment.end <= start && text.slice(comment.end, start).trim() === '',
  );
  return before?.type === 'Block' && before.value.startsWith('*') ? before.value.slice(1).trim() : undefined;
}
