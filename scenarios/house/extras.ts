import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Part of the product that can be taken out: its folders, and others that use it and go with it. */
export interface Extra {
  readonly name: string;
  /** Beginnings of paths. */
  readonly at: readonly string[];
  /** Other extras that it uses. */
  readonly uses: readonly string[];
  /** Its name in `actors/extras.ts`, where the core loads it. */
  readonly line?: string;
}
export const extras: readonly Extra[] = [
  {
    name: 'page',
    at: ['adapters/page/', 'adapters/inspector/', 'actors/inspector/', 'machines/inspection.ts'],
    uses: [],
    line: 'page',
  },
  { name: 'files', at: ['adapters/files/', 'machines/document-files.ts'], uses: [], line: 'files' },
  { name: 'login', at: ['adapters/oauth/', 'actors/login/'], uses: [], line: 'login' },
  { name: 'vrl', at: ['adapters/vrl/'], uses: [], line: 'vrl' },
  { name: 'nodes', at: ['adapters/redis/'], uses: [], line: 'nodes' },
  { name: 'models', at: ['machines/models/', 'actors/models/'], uses: [] },
  { name: 'toolsets', at: ['actors/toolsets/'], uses: ['models'] },
  { name: 'transport', at: ['actors/transport/'], uses: [] },
  {
    name: 'applications',
    at: ['machines/applications/', 'adapters/applications/', 'actors/applications/'],
    uses: [],
  },
  { name: 'documents', at: ['adapters/documents/', 'machines/documents.ts'], uses: ['files'] },
  {
    name: 'presenter',
    at: ['machines/presenter/', 'actors/presenter/'],
    uses: ['applications', 'documents', 'models'],
  },
  {
    name: 'command',
    at: [
      ...['actors/cli/', 'actors/serve/', 'actors/door/', 'actors/main.ts'],
      ...['adapters/door/', 'adapters/terminal/', 'adapters/mcp/serve/'],
    ],
    uses: ['applications', 'documents', 'models', 'page'],
    line: 'door',
  },
];
/** The file in which the core names extras. */
export const registry = 'actors/extras.ts';

export const extraOf = (path: string): string | undefined =>
  extras.find(({ at }) => at.some((begin) => path.startsWith(begin)))?.name;
/** The extra itself, and all that use it, directly or over others. */
export function goneWith(name: string): readonly string[] {
  const gone = new Set([name]);
  for (const { name: other, uses } of [...extras, ...extras])
    if (uses.some((used) => gone.has(used))) gone.add(other);
  return [...gone];
}

const rooms = ['machines', 'adapters', 'actors'];
/** Sources of the product, without tests. */
export function productFiles(root: string): readonly string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'e2e' ? [] : below(path);
      return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts') ? [path] : [];
    });
  return rooms.flatMap(below);
}

export interface Import {
  readonly path: string;
  readonly how: 'value' | 'type' | 'lazy';
}
const statement = /^(?:import|export)\s+(type\s)?([^;'"]*?)from\s*'(\.[^']+)'/gm;
const lazy = /\bimport\('(\.[^']+)'\)/g;
/** A list in which each name is a type is one of types. */
const isOfTypes = (names: string): boolean => {
  const list = /^\s*\{([^}]*)\}\s*$/
    .exec(names)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return list !== undefined && list.every((name) => name.trim().startsWith('type '));
};
export function importsOf(root: string, path: string): readonly Import[] {
  const text = readFileSync(join(root, path), 'utf8');
  const at = (specifier = ''): string => posix.join(posix.dirname(path), specifier);
  return [
    ...[...text.matchAll(statement)].map(([, type, names = '', specifier]) => ({
      path: at(specifier),
      how: type !== undefined || isOfTypes(names) ? ('type' as const) : ('value' as const),
    })),
    ...[...text.matchAll(lazy)].map(([, specifier]) => ({ path: at(specifier), how: 'lazy' as const })),
  ].filter((each) => existsSync(join(root, each.path)));
}

/** Sources that are loaded with this one: without types, and without what is imported later. */
export function loadedWith(root: string, entry: string): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const path of found)
    for (const each of importsOf(root, path)) if (each.how === 'value') found.add(each.path);
  return found;
}
export const linesOf = (root: string, paths: Iterable<string>): number =>
  [...paths].reduce((sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length - 1, 0);
