import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { declarationsOf, keyOf, placeOf, type Place } from './public-types.ts';
import { importsBehind, publicOf, unexplained, unexported } from './public-types.ts';
import { manifest, root } from '../fixtures/checkout.ts';

/** Types are read from the built files, as a user's compiler and editor read them. */
const { exports } = manifest;
const entries = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [{ path, places: publicOf(join(root, target.types)) }],
);
const known = new Set(entries.flatMap(({ places }) => places.map(keyOf)));

describe('a type that strangers import', () => {
  it('is seen by its checks', () => {
    expect(entries.length).toBe(15);
    expect(known.size).toBeGreaterThan(250);
  });

  it.each(entries)('leads from $path to types alone that can be imported, too', ({ places }) => {
    expect(unexported(places, known)).toEqual([]);
  });

  it.each(entries)('is explained where $path declares it, and so are its members', ({ places }) => {
    expect(places.flatMap((place) => unexplained(place))).toEqual([]);
  });

  it('cites no notes that a stranger does not have', () => {
    const files = new Set(entries.flatMap(({ places }) => places.map(({ file }) => file)));
    const said = [...files].flatMap((file) => declarationsOf(file).comments.map(({ value }) => value));
    expect(said.length).toBeGreaterThan(250);
    expect(said.filter((text) => /seed \d|a2c-wire/.test(text))).toEqual([]);
  });

  it('reads no types of packages, and so of machines, with what hosts import', () => {
    const behind = Object.entries(exports).map(([path, target]) => [
      path,
      typeof target === 'string' ? [] : importsBehind(join(root, target.types)),
    ]);
    expect(Object.fromEntries(behind)).toMatchObject({
      '.': [],
      './computer': [],
      './agent': [],
      './office': [],
      './presenter': [],
      './models': [],
      './ai': [],
      './langchain': [],
      './wire': ['zod'],
    });
  });
});

describe('the checks', () => {
  const folder = testFolder('public');
  writeFileSync(
    join(folder, 'inner.d.ts'),
    `/** Told. */\nexport interface Inner { readonly deep: Deep; }\ninterface Deep { on(signal: import('pack').Sign): void; }\n`,
  );
  writeFileSync(
    join(folder, 'index.d.ts'),
    `import type { Inner } from './inner.ts';
interface Base<T> { readonly base: T; }
/** Explained. */
export interface Shown extends Base<Inner> {
    /** Explained. */
    readonly told: string;
    readonly untold: typeof hidden;
    /** Takes \`named\`. */
    ask(options: { readonly named: string; readonly unnamed: string }): void;
    readonly ok: true;
}
declare const hidden: { readonly kind: Kind };
type Kind = 'a';
export declare const bare: string;
export type Bare = Box<typeof bare>;
type Box<T> = T;
`,
  );
  const index = join(folder, 'index.d.ts');
  const places = publicOf(index);

  it('find every type that a public one leads to and that is not public', () => {
    expect(unexported(places, new Set(places.map(keyOf)))).toEqual([
      'Shown > Base',
      'Shown > Inner',
      'Shown > Inner > Deep',
      'Shown > hidden > Kind',
      'Bare > Box',
    ]);
    const inner = placeOf(index, 'Inner') as Place;
    expect(unexported(places, new Set([...places, inner].map(keyOf)))).not.toContain('Shown > Inner');
  });

  it('find every name, member and option of which nothing is said', () => {
    expect(places.flatMap((place) => unexplained(place))).toEqual([
      'Shown.untold',
      'Shown.ask.unnamed',
      'bare',
      'Bare',
    ]);
  });

  it('find the package behind a file', () => {
    expect(importsBehind(index)).toEqual(['pack']);
  });
});
