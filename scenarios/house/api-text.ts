/** Writes docs/api.txt from the built declarations: `npm run api`. */
import { writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Node } from 'oxc-parser';
import { declarationsOf, docOf, keyOf, placeOf, type Place } from './public-types.ts';
import { manifest, root } from '../fixtures/checkout.ts';

export const apiFile = join(root, 'docs/api.txt');
const { name, exports } = manifest;

interface Exported {
  readonly name: string;
  readonly place: Place;
  readonly isValue: boolean;
}
const nodesOf = ({ file, name: own }: Place): readonly Node[] =>
  declarationsOf(file).own.get(own)?.nodes ?? [];
const isType = ({ type }: Node): boolean =>
  type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration';

/** Values come first, each kind in the order of its names. */
function exportedBy(types: string): Exported[] {
  const entry = join(root, types);
  const found = [...declarationsOf(entry).exported].flatMap(([exported, local]) => {
    const place = placeOf(entry, local);
    return typeof place === 'object' ? { name: exported, place, isValue: !nodesOf(place).every(isType) } : [];
  });
  return found.toSorted((a, b) => Number(b.isValue) - Number(a.isValue) || (a.name < b.name ? -1 : 1));
}

function declarationText(place: Place): string {
  const { own, text } = declarationsOf(place.file);
  const first = own.get(place.name)?.start;
  return (
    nodesOf(place)
      .map((node, n) => {
        const start = n === 0 && first !== undefined ? first : node.start;
        const doc = docOf(place, start);
        const code = text.slice(node.start, node.end).replace(/^declare /, '');
        if (doc === undefined) return code;
        return doc.startsWith('*') ? `/**\n ${doc}\n */\n${code}` : `/** ${doc} */\n${code}`;
      })
      .join('\n')
      // Names of two files that were rolled up into one.
      .replaceAll(/\b(\w+)\$\d+\b/g, '$1')
      .replaceAll(/^ *#private;\n/gm, '')
  );
}

const referred = (place: Place, type: Node): Place | undefined => {
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return undefined;
  const found = placeOf(place.file, type.typeName.name);
  return typeof found === 'object' ? found : undefined;
};
interface Member {
  readonly name: string;
  readonly isMethod: boolean;
  /** Type of a property, where it has a name. */
  readonly of: Place | undefined;
}
/** With those that it inherits from types of this package; overloads count once. */
function membersOf(place: Place): Member[] {
  const { text } = declarationsOf(place.file);
  const found = new Map<string, Member>();
  for (const node of nodesOf(place)) {
    if (node.type !== 'TSInterfaceDeclaration') continue;
    for (const { expression } of node.extends) {
      const base = expression.type === 'Identifier' ? placeOf(place.file, expression.name) : undefined;
      for (const member of typeof base === 'object' ? membersOf(base) : []) found.set(member.name, member);
    }
    for (const member of node.body.body) {
      if (!('key' in member)) continue;
      const type = member.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined;
      const own = text.slice(member.key.start, member.key.end);
      const isMethod = member.type === 'TSMethodSignature';
      found.set(own, { name: own, isMethod, of: type && referred(place, type) });
    }
  }
  return [...found.values()];
}
/** Such as `25, of which servers has 13 of its own, skills 2`: a property whose type has methods is a group. */
function countOf(place: Place): string {
  const members = membersOf(place);
  const groups = members.flatMap(({ name: group, of }) => {
    const inside = of ? membersOf(of) : [];
    return inside.some(({ isMethod }) => isMethod) ? [`${group} has ${inside.length}`] : [];
  });
  return [members.length, ...groups].join(', ');
}

const typesOf = (path: string): string => (exports[path] as { readonly types: string }).types;
/** Names of the values that an entry of the package exports, in their order; an enum is a type alone. */
export const valuesOf = (path: string): readonly string[] =>
  exportedBy(typesOf(path)).flatMap(({ name: exported, place, isValue }) =>
    isValue && nodesOf(place).every(({ type }) => type !== 'TSEnumDeclaration') ? [exported] : [],
  );
/** Names of the members of an exported type, under `''`, and of those of each group of its methods. */
export function membersIn(path: string, type: string): Readonly<Record<string, readonly string[]>> {
  const found = exportedBy(typesOf(path)).find(({ name: exported }) => exported === type);
  const namesOf = (members: readonly Member[]): readonly string[] =>
    members.flatMap(({ name: own }) => (/^\w+$/.test(own) ? [own] : [])).toSorted();
  const members = found ? membersOf(found.place) : [];
  const groups = members.flatMap(({ name: group, of }) => {
    const inside = of ? membersOf(of) : [];
    return inside.some(({ isMethod }) => isMethod) ? [[group, namesOf(inside)] as const] : [];
  });
  return Object.fromEntries([['', namesOf(members)], ...groups]);
}

const countedTypes = {
  Computer: 'Members of a computer',
  Agent: 'Members of an agent',
  Office: 'Members of an office',
  ComputerOptions: 'Options of createComputer',
};
const head = `The API of ${name}: what each entry of the package exports, with its docstrings, as the compiler sees it.
\`npm run api\` writes this file. docs/versioning.md says which changes are allowed, docs/errors.md has all errors.
`;
export function apiText(): string {
  const shown = new Map<string, string>();
  const chapters = Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === 'string') return [];
    const module = posix.join(name, path);
    const known: string[] = [];
    const texts = exportedBy(entry.types).flatMap(({ name: exported, place }) => {
      const key = keyOf(place);
      const before = shown.get(key);
      if (before !== undefined) known.push(before === name ? exported : `${exported} of ${before}`);
      else shown.set(key, module);
      const text = declarationText(place);
      const renamed = exported === place.name.replace(/\$\d+$/, '') ? '' : `/* exported as ${exported} */\n`;
      return before === undefined ? [`${renamed}${text}`] : [];
    });
    const again = known.length > 0 ? [`Also, as above: ${known.join(', ')}`] : [];
    return [[`${'='.repeat(100)}\n${module}\n${'='.repeat(100)}`, ...again, ...texts].join('\n\n')];
  });
  const main = Object.entries(exports)[0]?.[1];
  const counted = typeof main === 'object' ? exportedBy(main.types) : [];
  const counts = Object.entries(countedTypes).flatMap(([type, what]) => {
    const found = counted.find((each) => each.name === type);
    return found ? [`${what}: ${countOf(found.place)}`] : [];
  });
  return `${[head, counts.join('\n'), ...chapters].join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(apiFile, apiText());
