import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor, type Comment, type Node, type Statement } from 'oxc-parser';

export interface Declarations {
  readonly file: string;
  /** An interface or an overloaded function may have several. */
  readonly own: Map<string, Declared>;
  readonly from: Map<string, readonly [module: string, name: string]>;
  readonly exported: Map<string, string>;
  readonly comments: readonly Comment[];
  readonly text: string;
}
export interface Declared {
  readonly nodes: Node[];
  /** With its `export`; its docstring ends before that. */
  readonly start: number;
}

const cache = new Map<string, Declarations>();

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
    exported: new Map(),
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
      const name = statement.source ? textOf(exported) : textOf(local);
      found.exported.set(textOf(exported), name);
      if (statement.source) found.from.set(name, [statement.source.value, textOf(local)]);
    }
  const node = isExport ? statement.declaration : statement;
  if (!node) return;
  const ids = 'declarations' in node ? node.declarations.map(({ id }) => id) : 'id' in node ? [node.id] : [];
  for (const id of ids) {
    if (id?.type !== 'Identifier') continue;
    const declared = found.own.get(id.name) ?? { nodes: [], start: statement.start };
    declared.nodes.push(node);
    found.own.set(id.name, declared);
    if (isExport) found.exported.set(id.name, id.name);
  }
}

export interface Place {
  readonly file: string;
  readonly name: string;
}
/** A type that was rolled up into two files is one type. */
export const keyOf = ({ file, name }: Place): string => {
  const { own, text } = declarationsOf(file);
  return [name, ...(own.get(name)?.nodes ?? []).map(({ start, end }) => text.slice(start, end))].join('\n');
};

/** The package name for a name of a package; undefined for a name of the language. */
export function placeOf(file: string, name: string): Place | string | undefined {
  const { own, from } = declarationsOf(file);
  const source = from.get(name);
  if (!source) return own.has(name) ? { file, name } : undefined;
  if (!source[0].startsWith('.')) return source[0];
  const next = fileAt(file, source[0]);
  return placeOf(next, declarationsOf(next).exported.get(source[1]) ?? source[1]);
}
const fileAt = (file: string, module: string): string => {
  const path = join(dirname(file), module);
  // JavaScript modules have their declarations beside them.
  const found = [path.replace(/\.[jt]s$/, '.d.ts'), path.replace(/\.mjs$/, '.d.mts')].find(
    (each) => each !== path && existsSync(each),
  );
  if (!found) throw new Error(`${file} names ${module}, which is not built`);
  return found;
};

interface Named {
  readonly place: Place | string;
  readonly isValue: boolean;
}
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

export function docOf({ file }: Place, start: number): string | undefined {
  const { comments, text } = declarationsOf(file);
  const before = comments.findLast(
    (comment) => comment.end <= start && text.slice(comment.end, start).trim() === '',
  );
  return before?.type === 'Block' && before.value.startsWith('*') ? before.value.slice(1).trim() : undefined;
}

export function publicOf(entry: string): Place[] {
  return [...declarationsOf(entry).exported.values()].flatMap((name) => {
    const place = placeOf(entry, name);
    return typeof place === 'object' ? place : [];
  });
}

/** Such as `Agent > AgentOptions > Timing`; a value that is only named by `typeof x` need not be exported. */
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

/** Packages of which types or values are imported, directly and over other files; modules of Node are no packages. */
export function importsBehind(file: string, seen = new Set<string>()): string[] {
  if (seen.size === seen.add(file).size) return [];
  const modules: string[] = [];
  const take = ({ source }: { readonly source: { readonly value: string } | null }): void => {
    if (source) modules.push(source.value);
  };
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  new Visitor({
    ImportDeclaration: take,
    ExportNamedDeclaration: take,
    ExportAllDeclaration: take,
    TSImportType: take,
  }).visit(program);
  const found = modules.flatMap((module) =>
    module.startsWith('.') ? importsBehind(fileAt(file, module), seen) : module,
  );
  return [...new Set(found)].filter((module) => !module.startsWith('node:'));
}

/** Types inferred from a value (`z.infer<typeof joinOffice>`) are explained at the value. */
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

/** A property's docstring covers its inner members, the first overload's the others; options need `` `key` ``. */
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
/** Such as `ok: true`: it only tells two shapes apart and needs no docstring. */
const hasOneValue = (member: Node): boolean =>
  member.type === 'TSPropertySignature' && member.typeAnnotation?.typeAnnotation.type === 'TSLiteralType';
function optionsOf(method: Node): string[] {
  const found: string[] = [];
  new Visitor({
    TSPropertySignature: (option) => {
      if (option.key.type === 'Identifier' && !hasOneValue(option)) found.push(option.key.name);
    },
  }).visit({ type: 'Program', body: [method] } as never);
  return found;
}
