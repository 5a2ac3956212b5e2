import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { Library } from '../../../adapters/documents/library/library.ts';
import { WordIndex } from '../../../adapters/documents/library/word-index.ts';
import { textOf, type Chain } from './chain.ts';
import { longPdf } from './long-pdf.ts';
import { collector, heapAfterGc } from './weight.ts';

/** The documents server over many files, beside what anybody would write with the same system and libraries. */
const files = 10_000;
const inAFolder = 100;
const rare = 'needle';
/** The process that measures does other things, too: what it grows by says nothing about a document. */
const options = { isWatching: false, parserLimits: { growthBytes: Infinity } };

/** A text in each, every thousandth with a word of its own. */
const textIn = (n: number): string =>
  `# Note ${n}\n\nWater boils at a hundred degrees.${n % 1_000 === 0 ? ` Here is the ${rare}.` : ''}\n`;

/** A folder of its own, which goes with the chain. */
async function inFolder(
  use: (folder: string) => Promise<Omit<Chain, 'pids' | 'close'> & { end?(): Promise<void> }>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'a2c-bench-documents-'));
  const { end, ...chain } = await use(folder);
  const close = async (): Promise<void> => {
    await end?.();
    await rm(folder, { recursive: true, force: true });
  };
  return { pids: [], ...chain, close };
}
async function fill(folder: string): Promise<void> {
  for (let from = 0; from < files; from += inAFolder) {
    const below = join(folder, `f${from / inAFolder}`);
    await mkdir(below);
    const names = Array.from({ length: inAFolder }, (_, n) => from + n);
    await Promise.all(names.map((n) => writeFile(join(below, `note-${n}.md`), textIn(n))));
  }
}
function whole(count: number): void {
  if (count !== files) throw new Error(`${count} of ${files} files were found`);
}

/** Names, sizes and times by `readdir` and `lstat`. */
export const readFolders = (): Promise<Chain> =>
  inFolder(async (folder) => {
    await fill(folder);
    const list = async () => {
      const names = await readdir(folder, { recursive: true });
      const found = [];
      for (let at = 0; at < names.length; at += 64) {
        const some = names.slice(at, at + 64).filter((name) => name.endsWith('.md'));
        found.push(
          ...(await Promise.all(
            some.map(async (name) => ({ name, facts: await lstat(join(folder, name)) })),
          )),
        );
      }
      return found.map(({ name, facts: { size, mtime } }) => ({ name, size, mtime }));
    };
    return { call: async (n) => (whole((await list()).length), textOf(n)), keep: () => kept(list) };
  });
export const listedLibrary = (): Promise<Chain> =>
  inFolder(async (folder) => {
    await fill(folder);
    const open = (): Promise<Library> => Library.open([folder], options);
    return {
      call: async (n) => {
        const library = await open();
        whole(library.documents.size);
        await library.close();
        return textOf(n);
      },
      keep: () => kept(open),
    };
  });
/** Bytes of heap that are there as long as what was made is. */
async function kept(make: () => Promise<object>): Promise<number> {
  const gc = collector();
  const held = [await make()];
  held.length = 0;
  const before = await heapAfterGc(gc);
  held.push(await make());
  const bytes = (await heapAfterGc(gc)) - before;
  if (held.length !== 1) throw new Error('nothing was held');
  return bytes;
}

const pages = 500;
/** The first page of a file that nobody has read before. */
const firstPages = (
  read: (folder: string) => Promise<{ text(name: string): Promise<string>; end?(): Promise<void> }>,
) =>
  inFolder(async (folder) => {
    const { text, end } = await read(folder);
    let count = 0;
    const call = async (n: number): Promise<string> => {
      const name = `long-${(count += 1)}.pdf`;
      await writeFile(join(folder, name), longPdf(pages, count));
      const found = await text(name);
      await rm(join(folder, name));
      if (!found.includes('the paragraph of page 1,')) throw new Error(`page 1 was: ${found.slice(0, 80)}`);
      return textOf(n);
    };
    return { call, ...(end && { end }) };
  });
export const bareParser = (): Promise<Chain> =>
  firstPages(async (folder) => ({
    text: async (name) => {
      const data = new Uint8Array(await readFile(join(folder, name)));
      const task = getDocument({ data, verbosity: VerbosityLevel.ERRORS });
      const page = await (await task.promise).getPage(1);
      const { items } = await page.getTextContent();
      await task.destroy();
      return items.map((item) => ('str' in item ? item.str : '')).join(' ');
    },
  }));
export const firstPageOfLibrary = (): Promise<Chain> =>
  firstPages(async (folder) => {
    const library = await Library.open([folder], options);
    return {
      text: async (name) => {
        await library.find(name);
        const read = await library.read(name, { from: 0, to: 1 });
        if (read.pageCount !== pages) throw new Error(`it has ${read.pageCount} pages`);
        return JSON.stringify(read.pages[0]?.elements);
      },
      end: () => library.close(),
    };
  });

/** All texts in memory, gone through for each question. */
export const scannedTexts = async (): Promise<Chain> => {
  const texts = Array.from({ length: files }, (_, n) => textIn(n).toLowerCase());
  return {
    pids: [],
    call: async (n) => {
      const found = texts.filter((text) => text.includes(rare));
      if (found.length !== files / 1_000) throw new Error(`${found.length} texts were found`);
      return textOf(n);
    },
    close: async () => {},
  };
};
export const searchedLibrary = (): Promise<Chain> =>
  inFolder(async (folder) => {
    await fill(folder);
    const library = await Library.open([folder], options);
    const words = new WordIndex(library);
    const call = async (n: number): Promise<string> => {
      const { total, found, indexed } = await words.search(rare, 20, 120_000);
      whole(indexed);
      if (total !== files / 1_000 || found.some(({ places }) => places.length !== 1))
        throw new Error(`${total} documents were found`);
      return textOf(n);
    };
    // The first search reads all.
    await call(0);
    const end = async (): Promise<void> => {
      words.close();
      await library.close();
    };
    return { call, end };
  });
