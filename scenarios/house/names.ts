import { lineAt, type Violation, type Source } from './source.ts';

const drawers = /^(utils?|helpers?|common|managers?|services?|handlers?)$/;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;

/** Drawers collect what nobody named; one spelling for all names. */
export function nameViolations(sources: readonly Pick<Source, 'path'>[]): Violation[] {
  return sources.flatMap(({ path }) =>
    path.split('/').flatMap((part): Violation[] => {
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
export function placeViolations(sources: readonly Source[]): Violation[] {
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
