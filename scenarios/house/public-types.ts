import { Visitor, type Node } from 'oxc-parser';
import { declarationsOf, docOf, keyOf, namedBy, placeOf, type Place } from './declarations.ts';

/** What a host can import from one entry point of package.json, each name where it is declared. */
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
