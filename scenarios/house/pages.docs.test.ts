import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const markdownIn = (folder: string): string[] =>
  readdirSync(`${root}/${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name));
const rooms = ['machines', 'adapters', 'actors', 'scenarios'];
const pages = ['.', 'docs', 'examples', 'scenarios/fault-server', ...rooms].flatMap(markdownIn);
/** They tell what was: files that they name may be gone. */
const isPast = (page: string): boolean => page === 'CHANGELOG.md' || page === 'DECISIONS.md';

/** As GitHub makes the anchor of a heading. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
const textOf = (page: string): string => readFileSync(`${root}/${page}`, 'utf8');

it.each(pages)('%s links to what there is', (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const dead = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(`${root}/${target}`)) return true;
    return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor);
  });
  expect(dead).toEqual([]);
});

it.each(pages.filter((page) => !isPast(page)))('%s names files that there are', (page) => {
  const named = [
    ...textOf(page).matchAll(/`((?:machines|adapters|actors|scenarios|docs|examples)\/[\w./-]+)`/g),
  ];
  // What a reader is to write is called after its noun.
  const files = named.map(([, path = '']) => path).filter((path) => !/noun|subject/i.test(path));
  expect(files.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});
