import { DOMParser } from '@xmldom/xmldom';
import { unzipSync, zipSync } from 'fflate';
import { toldOf, Unreadable } from './reader.ts';
import { limits, sizeText } from '../../../machines/document-files.ts';
import type { Draft } from '../../../machines/documents.ts';

/** ZIP archive of XML files, unpacked within size limits. */
export interface OfficeFile {
  readonly main: string;
  readonly names: readonly string[];
  bytes(name: string): Uint8Array | undefined;
  text(name: string): string | undefined;
  xml(name: string): Document | undefined;
  /** By their id. The empty name stands for the file as a whole. */
  relations(name: string): ReadonlyMap<string, { readonly type: string; readonly target: string }>;
  /** Without compression, so that a library unpacks exactly the size that was checked. */
  packed(mended?: (name: string, text: string) => string): Uint8Array;
}

/** Its main part may have any name; the relationships of the file name it. */
export function openOfficeFile(bytes: Uint8Array, kind: keyof typeof kinds): OfficeFile {
  const { entries, ...archive } = openArchive(bytes, 'office file');
  const main =
    [...archive.relations('').values()].find(({ type }) => type === 'officeDocument')?.target ??
    kinds[kind].main;
  const root = new RegExp(`<(\\w+:)?${kinds[kind].root}[\\s>]`);
  if (!root.test(archive.text(main)?.slice(0, 8192) ?? ''))
    throw new Unreadable(`it is an office file of another kind than ${kind}`);
  return {
    ...archive,
    main,
    packed: (mended) => {
      const repaired = Object.entries(entries).map(([name, part]) => {
        if (!mended || !name.endsWith('.xml')) return [name, part] as const;
        return [name, new TextEncoder().encode(mended(name, new TextDecoder().decode(part)))] as const;
      });
      return zipSync(Object.fromEntries(repaired), { level: 0 });
    },
  };
}
const kinds = {
  docx: { main: 'word/document.xml', root: 'document' },
  pptx: { main: 'ppt/presentation.xml', root: 'presentation' },
  xlsx: { main: 'xl/workbook.xml', root: 'workbook' },
} as const;

interface Archive extends Pick<OfficeFile, 'names' | 'bytes' | 'text' | 'xml' | 'relations'> {
  readonly entries: Readonly<Record<string, Uint8Array>>;
}
/** `unzipSync` unpacks the declared number of bytes of each part, so their sum limits the memory used. */
export function openArchive(bytes: Uint8Array, what: string): Archive {
  let sum = 0;
  const entries = ((): Record<string, Uint8Array> => {
    try {
      return unzipSync(bytes, {
        filter: ({ originalSize }) => {
          sum += originalSize;
          if (sum > limits.unpackedBytes)
            throw new Unreadable(`it unpacks to more than ${sizeText(limits.unpackedBytes)}`);
          return true;
        },
      });
    } catch (error) {
      throw error instanceof Unreadable ? error : new Unreadable(`it is not a whole ${what} (ZIP)`);
    }
  })();
  const parts = new Map(Object.entries(entries));
  const text = (name: string): string | undefined => {
    const part = parts.get(name);
    return part && new TextDecoder().decode(part);
  };
  const xml = (name: string): Document | undefined => {
    const source = text(name);
    return source === undefined ? undefined : parseXml(source, name);
  };
  const relations = (name: string): ReturnType<OfficeFile['relations']> => relationsIn(xml, name);
  return { entries, names: [...parts.keys()], bytes: (name) => parts.get(name), text, xml, relations };
}

export function parseXml(source: string, name: string): Document {
  // Old OpenOffice names the type of its formulas; one that defines entities may grow without limit.
  const plain = source.replace(/<!DOCTYPE[^[\]<>]{0,500}>/i, '');
  if (/<!DOCTYPE/i.test(plain))
    throw new Unreadable(`${name} in it has a document type, which office files have not`);
  const fail = (): never => {
    throw new Unreadable(`${name} in it is not XML`);
  };
  return new DOMParser({
    errorHandler: { warning: () => {}, error: fail, fatalError: fail },
  }).parseFromString(plain, 'text/xml');
}

function relationsIn(xml: OfficeFile['xml'], name: string): ReturnType<OfficeFile['relations']> {
  const slash = name.lastIndexOf('/');
  const [folder, file] = [name.slice(0, slash + 1), name.slice(slash + 1)];
  const found = xml(`${folder}_rels/${file}.rels`);
  return new Map(
    (found ? elements(found, 'Relationship') : []).map((each) => {
      const target = each.getAttribute('Target') ?? '';
      const isOutside = each.getAttribute('TargetMode') === 'External';
      const type = (each.getAttribute('Type') ?? '').replace(/^.*\//, '');
      return [each.getAttribute('Id') ?? '', { type, target: isOutside ? target : resolved(folder, target) }];
    }),
  );
}
export const resolved = (folder: string, target: string): string => {
  const parts: string[] = [];
  for (const part of (target.startsWith('/') ? target : folder + target).split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
};

export const elements = (node: Document | Element, name: string): Element[] =>
  Array.from(node.getElementsByTagNameNS('*', name));
export const childElements = (node: Element): Element[] =>
  Array.from(node.childNodes).filter((each): each is Element => each.nodeType === 1);
export const ancestor = (node: Element, name: string): Element | undefined => {
  let at = node.parentNode as Element | null;
  while (at && at.localName !== name) at = at.parentNode as Element | null;
  return at ?? undefined;
};
export const textIn = (node: Element, name = 't'): string =>
  elements(node, name)
    .map((each) => each.textContent ?? '')
    .join('');

export function propertiesOf(file: OfficeFile): ReturnType<typeof toldOf> {
  const core = file.xml('docProps/core.xml');
  const value = (name: string): string => (core && elements(core, name)[0]?.textContent?.trim()) || '';
  return toldOf({ title: value('title'), keywords: value('keywords'), summary: value('description') });
}

/** For charts that do not store their values; a range is written like `Costs!$B$2:$B$4`. */
export type Lookup = (range: string) => readonly string[];

const valuesOf = (node: Element | undefined, lookup: Lookup): readonly string[] => {
  if (!node) return [];
  const kept: string[] = [];
  for (const [at, each] of elements(node, 'pt').entries()) {
    // Values that are missing have no point; of several levels of names the inner one comes first.
    const index = Math.max(0, Math.min(Number(each.getAttribute('idx') ?? at) || 0, limits.tableRows));
    kept[index] = [textIn(each, 'v'), kept[index]].filter(Boolean).join(' ');
  }
  return kept.length > 0 ? Array.from(kept, (text) => text ?? '') : lookup(textIn(node, 'f'));
};

export function chartOf(file: OfficeFile, name: string, lookup: Lookup = () => []): Draft | undefined {
  const root = file.xml(name);
  const [plot] = root ? elements(root, 'plotArea') : [];
  if (!root || !plot) return undefined;
  const [titled] = elements(root, 'title');
  const kind = childElements(plot).find(({ localName }) => (localName ?? '').endsWith('Chart'));
  const series = elements(plot, 'ser').map((each, at) => {
    const part = (...tags: string[]): Element | undefined =>
      childElements(each).find(({ localName }) => tags.includes(localName ?? ''));
    const [title] = valuesOf(part('tx'), lookup);
    return {
      name: title ?? `series ${at + 1}`,
      categories: valuesOf(part('cat', 'xVal'), lookup),
      values: valuesOf(part('val', 'yVal'), lookup).map((text) => (text === '' ? null : Number(text))),
    };
  });
  const title = titled ? textIn(titled) || textIn(titled, 'v') : '';
  const content = { title, kind: (kind?.localName ?? 'unknown').replace(/Chart$/, ''), series };
  return { category: 'chart', content, summary: title || 'chart' };
}

/** Its texts, in the order of the file. */
export function diagramOf(file: OfficeFile, name: string): Draft | undefined {
  const root = file.xml(name);
  const items = (root ? elements(root, 'pt') : [])
    .map((point) => elements(point, 'p').map((each) => textIn(each)))
    .map((lines) => lines.filter((text) => text.trim() !== '').join(' '))
    .filter((text) => text !== '');
  return items.length === 0 ? undefined : { category: 'diagram', content: { items }, summary: 'diagram' };
}
