import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { Library } from '../../../adapters/documents/library/library.ts';
import { WordIndex } from '../../../adapters/documents/library/word-index.ts';
import { textOf, work, type Chain } from '../chain.ts';
import { absolute, collector, comparedSlices, heapAfterGc, pairs, ratio, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';
import { longPdf } from './long-pdf.ts';

/** The documents server over many files, beside what anybody would write with the same system and libraries. */
const files = 10_000;
const inAFolder = 100;
const rare = 'needle';
/** The process that measures does other things, too: what it grows by says nothing about a document. */
const options = { isWatching: false, parserLimits: { growthBytes: Infinity } };

/** A text in each, every thousandth with a word of its own. */
const textIn = (n: number): string =>
  `# Note ${n}\n\nWater boils at a hundred degrees.${n % 1_000 === 0 ? ` Here is the ${rare}.` : ''}\n`;

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'documents-'));
/** All files, a hundred in a folder. */
async function filled(): Promise<string> {
  const folder = await newFolder();
  for (let from = 0; from < files; from += inAFolder) {
    const below = join(folder, `f${from / inAFolder}`);
    await mkdir(below);
    const names = Array.from({ length: inAFolder }, (_, n) => from + n);
    await Promise.all(names.map((n) => writeFile(join(below, `note-${n}.md`), textIn(n))));
  }
  return folder;
}
function whole(count: number): void {
  if (count !== files) throw new Error(`${count} of ${files} files were found`);
}

/** Names, sizes and times by `readdir` and `lstat`. */
async function readFolders(folder: string): Promise<readonly object[]> {
  const names = await readdir(folder, { recursive: true });
  const found = [];
  for (let at = 0; at < names.length; at += 64) {
    const some = names.slice(at, at + 64).filter((name) => name.endsWith('.md'));
    found.push(
      ...(await Promise.all(some.map(async (name) => ({ name, facts: await lstat(join(folder, name)) })))),
    );
  }
  return found.map(({ name, facts: { size, mtime } }) => ({ name, size, mtime }));
}
async function listed(folder: string): Promise<number> {
  const library = await Library.open([folder], options);
  const { size } = library.documents;
  await library.close();
  return size;
}
/** MB of heap that are there as long as what was made is. */
async function kept(make: () => Promise<object>): Promise<number> {
  const gc = collector();
  const held = [await make()];
  held.length = 0;
  const before = await heapAfterGc(gc);
  held.push(await make());
  const bytes = (await heapAfterGc(gc)) - before;
  if (held.length !== 1) throw new Error('nothing was held');
  return bytes / 1024 ** 2;
}

const pages = 500;
interface Reading {
  text(name: string): Promise<string>;
  close(): Promise<void>;
}
/** The first page of a file that nobody has read before. */
const firstPages = (open: (folder: string) => Promise<Reading>) => async (): Promise<Chain> => {
  const folder = await newFolder();
  const { text, close } = await open(folder);
  let count = 0;
  const call = async (n: number): Promise<string> => {
    const name = `long-${(count += 1)}.pdf`;
    await writeFile(join(folder, name), longPdf(pages, count));
    const found = await text(name);
    await rm(join(folder, name));
    if (!found.includes('the paragraph of page 1,')) throw new Error(`page 1 was: ${found.slice(0, 80)}`);
    return textOf(n);
  };
  return { call, close };
};
const bareParser = firstPages(async (folder) => ({
  text: async (name) => {
    const data = new Uint8Array(await readFile(join(folder, name)));
    const task = getDocument({ data, verbosity: VerbosityLevel.ERRORS });
    const page = await (await task.promise).getPage(1);
    const { items } = await page.getTextContent();
    await task.destroy();
    return items.map((item) => ('str' in item ? item.str : '')).join(' ');
  },
  close: async () => {},
}));
const firstPageOfLibrary = firstPages(async (folder) => {
  const library = await Library.open([folder], options);
  return {
    text: async (name) => {
      await library.find(name);
      const read = await library.read(name, { from: 0, to: 1 });
      if (read.pageCount !== pages) throw new Error(`it has ${read.pageCount} pages`);
      return JSON.stringify(read.pages[0]?.elements);
    },
    close: () => library.close(),
  };
});

const found = files / 1_000;
/** All texts in memory, gone through for each question. */
const scannedTexts = (): Promise<Chain> => {
  const texts = Array.from({ length: files }, (_, n) => textIn(n).toLowerCase());
  return work(() => texts.filter((text) => text.includes(rare)).length, found);
};
const searchedLibrary = (folder: string) => async (): Promise<Chain> => {
  const library = await Library.open([folder], options);
  const words = new WordIndex(library);
  const search = async (): Promise<number> => {
    const answer = await words.search(rare, 20, 120_000);
    whole(answer.indexed);
    return answer.found.every(({ places }) => places.length === 1) ? answer.total : Number.NaN;
  };
  // The first search reads all.
  await search();
  return {
    ...(await work(search, found)),
    close: async () => {
      words.close();
      await library.close();
    },
  };
};

export const measureDocuments: Row['measure'] = async (plan, tell) => {
  const folder = await filled();
  const lists = [
    () => work(async () => (await readFolders(folder)).length, files),
    () => work(() => listed(folder), files),
  ] as const;
  await withBoth(lists, async (chains) =>
    tell(ratio('10,000 files listed, CPU', await comparedSlices(plan, chains, 'cpuUs'), 'µs', atMost(2))),
  );
  const held = await pairs(
    1,
    () => kept(() => readFolders(folder)),
    () => kept(() => Library.open([folder], options)),
  );
  tell(ratio('heap of what was listed', held, 'MB'));
  await withBoth([bareParser, firstPageOfLibrary], async (chains) => {
    const read = await comparedSlices(plan, chains, 'cpuUs');
    tell(ratio('first page of a PDF of 500, CPU', read, 'µs', atMost(2)));
  });
  await withBoth([scannedTexts, searchedLibrary(folder)], async (chains) => {
    const searched = await comparedSlices(plan, chains, 'wallMs');
    tell(absolute('a word in 10,000 files that were read before, time', searched, 'ms', atMost(20)));
  });
};
