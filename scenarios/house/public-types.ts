import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor, type Comment, type Node, type Statement } from 'oxc-parser';

/** Declarations, imports and exports of one `.d.ts`. */
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
  /** Start of the statement, with its `export`: a comment stands before that. */
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

/** Declaration of a name in a file; the name of a package; undefined: the language has it. */
export function placeOf(file: string, name: string): Place | string | undefined {
  const { own, from } = declarationsOf(file);
  const source = from.get(name);
  if (!source) return own.has(name) ? { file, name } : undefined;
  return source[0].startsWith('.') ? placeOf(fileAt(file, source[0]), source[1]) : source[0];
}
const fileAt = (file: string, module: string): string => {
  const path = join(dirname(file), module);
  // Modules in JavaScript have their declarations beside them.
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

/** Doc comment before a node. */
export function docOf({ file }: Place, start: number): string | undefined {
  const { comments, text } = declarationsOf(file);
  const before = comments.findLast(
    (comment) => comment.end <= start && text.slice(comment.end, start).trim() === '',
  );
  return before?.type === 'Block' && before.value.startsWith('*') ? before.value.slice(1).trim() : undefined;
}

/** Names that a host can import from one entry point of package.json, each where it is declared. */
export function publicOf(entry: string): Place[] {
  return [...declarationsOf(entry).exported].flatMap((name) => {
    const place = placeOf(entry, name);
    return typeof place === 'object' ? place : [];
  });
}

/**
 * The ways on which these names lead to types that `known` has not: `Agent > AgentOptions > Timing`. A value is named for
 * its type alone (`typeof x`), so it is followed and may stay inside.
 */
export function unexported(places: readonly Place[], known: ReadonlySet<string>): string[] {
  const seen = new Set(places.map(keyOf));
  const found: string[] = [];
  const follow = (from: Place, path: readonly string[]): void => {
    for (const { place, isValue } of namedBy(from)) {
      if (typeof place === 'string' || seen.size === seen.add(keyOf(place)).size) continue;
      const way = [...path, place.name];
      if (!isValue && !known.has(keyOf(place))) found.push(way.join(' > '));
      follow(place, way);
    }
  };
  for (const place of places) follow(place, [place.name]);
  return found;
}

/** The ways on which a name leads to a package: `createX > Runtime > xstate`. */
export function packagesBehind(
  place: Place,
  seen = new Set<string>(),
  path: readonly string[] = [],
): string[] {
  if (seen.size === seen.add(keyOf(place)).size) return [];
  const here = [...path, place.name];
  const found = namedBy(place).flatMap(({ place: next }) => {
    if (typeof next === 'object') return packagesBehind(next, seen, here);
    // Streams of Node are no package.
    return next.startsWith('node:') ? [] : [[...here, next].join(' > ')];
  });
  return [...new Set(found)];
}

/**
 * Public names without a word of explanation: `AgentOptions.url`. What is inferred from a value (`z.infer<typeof
 * joinOffice>`) is explained there.
 */
export function unexplained(place: Place): string[] {
  const declared = declarationsOf(place.file).own.get(place.name);
  const [first] = declared?.nodes ?? [];
  if (!declared || !first) return [`${place.name} is declared nowhere`];
  const isExplained = docOf(place, declared.start) !== undefined || isInferred(place, first);
  return [
    ...(isExplained ? [] : [place.name]),
    ...declared.nodes.flatMap((node) => membersWithout(place, node)),
  ];
}
const isInferred = ({ file }: Place, node: Node): boolean => {
  if (node.type !== 'TSTypeAliasDeclaration' || node.typeAnnotation.type !== 'TSTypeReference') return false;
  const [argument] = node.typeAnnotation.typeArguments?.params ?? [];
  if (argument?.type !== 'TSTypeQuery' || argument.exprName.type !== 'Identifier') return false;
  return unexplained({ file, name: argument.exprName.name }).length === 0;
};

/**
 * Members of interfaces and classes without a docstring, and options of methods that it does not name (`` `key` ``). What
 * is within a property, it explains; overloads are explained by the first of them; and a value, a function and a type as
 * a whole explain what is in them.
 */
function membersWithout(place: Place, declaration: Node): string[] {
  if (declaration.type !== 'TSInterfaceDeclaration' && declaration.type !== 'ClassDeclaration') return [];
  const docs = new Map<string, string>();
  return declaration.body.body.flatMap((member) => {
    if (!('key' in member) || member.key.type === 'PrivateIdentifier') return [];
    const { key, start } = member;
    const name =
      key.type === 'Literal' ? String(key.value) : declarationsOf(place.file).text.slice(key.start, key.end);
    if (name === 'constructor' || hasOneValue(member)) return [];
    const doc = docOf(place, start) ?? docs.get(name);
    if (doc === undefined) return [`${place.name}.${name}`];
    docs.set(name, doc);
    if (member.type !== 'TSMethodSignature' && member.type !== 'MethodDefinition') return [];
    return optionsOf(member)
      .filter((option) => !doc.includes(`\`${option}\``))
      .map((option) => `${place.name}.${name}.${option}`);
  });
}
/** `ok: true` tells two shapes apart, and says no more. */
const hasOneValue = (member: Node): boolean =>
  member.type === 'TSPropertySignature' && member.typeAnnotation?.typeAnnotation.type === 'TSLiteralType';
/** The keys that a method takes in objects which its signature spells out. */
function optionsOf(method: Node): string[] {
  const found: string[] = [];
  new Visitor({
    TSPropertySignature: (option) => {
      if (option.key.type === 'Identifier' && !hasOneValue(option)) found.push(option.key.name);
    },
  }).visit({ type: 'Program', body: [method] } as never);
  return found;
}
