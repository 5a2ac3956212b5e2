import { lineAt, type Breach, type Source } from './source.ts';

const drawers = /^(utils?|helpers?|common|managers?|services?|handlers?)$/;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;

/** Drawers collect what nobody named; one spelling for all names. */
export function nameBreaches(sources: readonly Pick<Source, 'path'>[]): Breach[] {
  return sources.flatMap(({ path }) =>
    path.split('/').flatMap((part): Breach[] => {
      const at = { path, line: 1 };
      if (!kebab.test(part)) return [{ ...at, what: `${part} is not kebab-case`, instead: 'rename it' }];
      if (part === 'types.ts' || part.split(/[.-]/).some((word) => drawers.test(word)))
        return [{ ...at, what: `${part} is a drawer`, instead: 'name it after the one thing that it holds' }];
      return [];
    }),
  );
}

const places: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/(?<![\w.~-])\/(work|root)\/[\w.-]/g, 'a path of one machine'],
  [/(?<![\w.~-])\/(home|Users)\/(?!you\b|me\b|alice\b|runner\b)\w+\/\w/g, 'a path of one person'],
  [/"resolved": "https?:\/\/(?!registry\.npmjs\.org\/)[^"]*"/g, 'a registry that strangers cannot reach'],
  [/\bregistry\s*=\s*https?:\/\/(?!registry\.npmjs\.org)/g, 'a registry that strangers cannot reach'],
];

/** Committed text must work on any machine. */
export function placeBreaches(sources: readonly Source[]): Breach[] {
  return sources.flatMap(({ path, text }) =>
    places.flatMap(([pattern, what]) =>
      [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
        path,
        line: lineAt(text, index),
        what: `${what}: ${found}`,
        instead: 'a relative path, or the public registry',
      })),
    ),
  );
}
