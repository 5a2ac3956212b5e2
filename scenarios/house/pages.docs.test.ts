import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRate, officeLimits, refusalKinds } from '../../machines/office/rooms/limits.ts';
import { readFacts, withShortTable } from '../judge/hosts-page.ts';
import { configOfPage } from '../fixtures/chaos/nginx.ts';
import { root } from '../fixtures/checkout.ts';

const markdownIn = (folder: string): string[] =>
  readdirSync(`${root}/${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name));
const rooms = ['machines', 'adapters', 'actors', 'scenarios'];
const pages = [
  '.',
  'docs',
  'examples',
  'examples/deploy',
  'scenarios/fault-server',
  'scenarios/judge',
  ...rooms,
].flatMap(markdownIn);
/** Files that such a page names may be gone. */
const isPast = (page: string): boolean => page === 'CHANGELOG.md' || page === 'DECISIONS.md';

/** As GitHub makes them. */
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
  // Placeholders name files that the reader is to write.
  const files = named.map(([, path = '']) => path).filter((path) => !/noun|subject/i.test(path));
  expect(files.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});

it('docs/windows-and-documents.md has the two servers as they are tested', () => {
  const blocks = [...textOf('docs/windows-and-documents.md').matchAll(/^```(?:js|python)\n(.*?)^```$/gms)];
  const files = ['examples/window_server.py', 'examples/window-server.mjs'].map(textOf);
  expect(blocks.map(([, code]) => code)).toEqual(files);
});

/** `` `file` title `` or `` `file` chapter › title ``. */
interface Proof {
  readonly file: string;
  readonly title: string;
  /** Of the outermost `describe`; empty when the test may be anywhere in the file. */
  readonly chapter: string;
}
const proofOf = (written: string): Proof => {
  const [, file = '', words = ''] = /^`([\w./-]+)` (.+)$/.exec(written) ?? [];
  const [title = '', chapter = ''] = words.split(' › ').toReversed();
  return { file, title, chapter };
};
const rowsUnder = (page: string, heading: string): { number: string; proofs: Proof[] }[] => {
  const text = textOf(page)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`));
  return [...(text ?? '').matchAll(/^\| ([\w ]+) \|.*\| ([^|]+) \|$/gm)].map(
    ([, number = '', proofs = '']) => ({ number, proofs: proofs.split('<br>').map(proofOf) }),
  );
};
/** In quotes, whole and as an argument; parts of it, or words in a comment, do not count. */
const hasTitle = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => {
    const text = (quote + title.replaceAll(quote, `\\${quote}`) + quote).replaceAll(
      /[$()*+.?[\\\]^{|}]/g,
      '\\$&',
    );
    return new RegExp(`[(,[]\\s*${text}\\s*,`).test(source);
  });
const isProven = (source: string, { title, chapter }: Omit<Proof, 'file'>): boolean => {
  const parts = source.split(/^(?=describe\b)/m).filter((part) => chapter === '' || hasTitle(part, chapter));
  return parts.some((part) => hasTitle(part, title));
};

it('docs/README.md names each page of docs once', () => {
  const named = [...textOf('docs/README.md').matchAll(/^\| \[[^\]]+\]\(([\w.-]+\.md)\)/gm)];
  const pagesOfDocs = markdownIn('docs').map((page) => page.replace('docs/', ''));
  expect(named.map(([, page = '']) => page).toSorted()).toEqual(
    pagesOfDocs.filter((page) => page !== 'README.md').toSorted(),
  );
});

describe('README.md and README.zh-CN.md', () => {
  const [english, chinese] = ['README.md', 'README.zh-CN.md'].map(textOf) as [string, string];
  const partsOf = (page: string) => ({
    headings: [...page.matchAll(/^(#+) /gm)].map(([, level]) => level),
    blocks: page.match(/^(?:<!-- \S+ -->\n)?```.*?^```$/gms),
    links: [...page.matchAll(/\]\(([^)]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !link.startsWith('README')),
    rows: [...page.matchAll(/^\|.*\|$/gm)].length,
  });

  it('have the same headings, code, links and rows', () => {
    const parts = partsOf(english);
    expect(parts.blocks?.length).toBeGreaterThan(6);
    expect(partsOf(chinese)).toEqual(parts);
  });

  it.each([english, chinese])('have the verdicts of docs/hosts.md', (page) => {
    expect(withShortTable(page, readFacts())).toBe(page);
    expect(page).toMatch(/^(?:\| [\w@/ ().-]+ \| [\d.]+ (?:\| \d+ ){4}\|\n){5}<!-- end of hosts -->$/m);
  });
});

describe('docs/troubleshooting.md', () => {
  const rows = [...textOf('docs/troubleshooting.md').matchAll(/^\| `([^|]+)` \| /gm)];
  const messages = rows.map(([, message = '']) => message).filter((message) => !message.startsWith('a2c: '));
  const sources = ['machines', 'adapters', 'actors'].flatMap((room) =>
    readdirSync(`${root}/${room}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(test|given)\.ts$/.test(file))
      .map((file) => textOf(`${room}/${file}`).replaceAll('\\', '')),
  );
  /** Between its placeholders (words in capitals, and `…`) and its marks. */
  const partsOf = (message: string): string[] =>
    message
      .split(/…|\b[A-Z]+\b|['():;]/)
      .map((part) => part.trim())
      .filter((part) => part.length > 3);

  it.each(messages)('quotes words that the software has: %s', (message) => {
    const parts = partsOf(message);
    const isThere = (part: string): boolean => sources.some((source) => source.includes(part));
    expect(parts).not.toEqual([]);
    expect(parts.filter((part) => !isThere(part))).toEqual([]);
  });

  it('has rows', () => expect(messages.length).toBeGreaterThan(35));
});

describe('a page that names tests as proofs', () => {
  const threats = rowsUnder('docs/security.md', 'Attacks');
  const breaks = rowsUnder('docs/scale.md', 'When something breaks');

  it('has a proof in each row, and each number once', () => {
    const known = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '12', '12a', '13', '14'];
    const numbers = threats.map(({ number }) => number);
    expect(numbers.slice(0, known.length)).toEqual(known);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(breaks.map(({ number }) => Number(number))).toEqual(breaks.map((_, n) => n + 1));
    expect(breaks.length).toBeGreaterThanOrEqual(8);
    expect([...threats, ...breaks].filter(({ proofs }) => proofs.length === 0)).toEqual([]);
  });

  it.each([...threats, ...breaks].flatMap(({ proofs }) => proofs))(
    'names a test that there is: $file: $title',
    (proof) => {
      expect(existsSync(`${root}/${proof.file}`) && isProven(textOf(proof.file), proof)).toBe(true);
    },
  );

  it('is checked by whole titles and by the chapter it names', () => {
    const source =
      "describe('one', () => {\n  it('a', f);\n});\ndescribe('two', () => {\n  it('b', f);\n});\n";
    expect(isProven("// once 'a title', now another", { chapter: '', title: 'a title' })).toBe(false);
    expect(isProven("it('a title', f)", { chapter: '', title: 'title' })).toBe(false);
    expect(['one', 'two', 'three'].map((chapter) => isProven(source, { chapter, title: 'b' }))).toEqual([
      ...[false, true, false],
    ]);
  });
});

it('docs/office.md has every kind of refusal of an office', () => {
  const rows = [...textOf('docs/office.md').matchAll(/^\| [45][\d, ]+ \| (`.+?`) \|/gm)];
  expect(rows.flatMap(([, kinds = '']) => kinds.replaceAll('`', '').split(', '))).toEqual(
    expect.arrayContaining([...refusalKinds]),
  );
});

it('docs/office.md has every limit of an office, with its default', () => {
  const limits = [...textOf('docs/office.md').matchAll(/^\| `(\w+)` \| ([\d/]+) \|/gm)];
  expect(limits.map(([, name, value]) => [name, value])).toEqual(
    Object.entries(officeLimits).map(([name, limit]) => [
      name,
      isRate(limit) ? `${limit.perSecond}/${limit.burst}` : String(limit),
    ]),
  );
});

it('docs/operate.md shows the nginx config of the chaos tests, but for addresses and TLS', () => {
  const config = configOfPage(['198.18.2.11:3000', '198.18.2.12:3000', '198.18.2.13:3000'], ['198.18.2.2']);
  for (const address of ['11', '12', '13']) expect(config).toContain(`server 198.18.2.${address}:3000 `);
  expect(config).toContain('listen 198.18.2.2:80;');
  expect(config).not.toMatch(/10\.0\.0\.|ssl/);
});
