import { DOMParser } from '@xmldom/xmldom';
import { unzipSync, zipSync } from 'fflate';
import { limits, sizeText } from '../../../machines/documents/index.ts';
import { Unreadable } from './reader.ts';

/** The parts of an office file (a ZIP of XML), unpacked within limits. */
export interface OfficeFile {
  readonly names: readonly string[];
  text(name: string): string | undefined;
  xml(name: string): Document | undefined;
  /** By id, the targets of a part's relationships, as names of parts. */
  relations(name: string): ReadonlyMap<string, { readonly type: string; readonly target: string }>;
  /**
   * The same file packed anew without compression: what a library unpacks from it has the size that was checked.
   * `mended` may give another text for a part.
   */
  packed(mended?: (name: string, text: string) => string): Uint8Array;
}

/**
 * `unzipSync` unpacks each part into exactly as many bytes as the directory of the file says, so the sum of these is
 * what it can cost, whatever the parts hold.
 */
export function openOfficeFile(bytes: Uint8Array, mustHave: string): OfficeFile {
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
      throw error instanceof Unreadable ? error : new Unreadable('it is not a whole office file (ZIP)');
    }
  })();
  const parts = new Map(Object.entries(entries));
  if (!parts.has(mustHave))
    throw new Unreadable(`it is an office file of another kind: it has no ${mustHave}`);
  const text = (name: string): string | undefined => {
    const part = parts.get(name);
    return part && new TextDecoder().decode(part);
  };
  const xml = (name: string): Document | undefined => {
    const source = text(name);
    return source === undefined ? undefined : parseXml(source, name);
  };
  return {
    names: [...parts.keys()],
    text,
    xml,
    relations: (name) => relationsIn(xml, name),
    packed: (mended) => {
      const repaired = Object.entries(entries).map(([name, part]) => {
        if (!mended || !name.endsWith('.xml')) return [name, part] as const;
        return [name, new TextEncoder().encode(mended(name, new TextDecoder().decode(part)))] as const;
      });
      return zipSync(Object.fromEntries(repaired), { level: 0 });
    },
  };
}

function parseXml(source: string, name: string): Document {
  // A document type may define entities that grow without end; office files have none.
  if (/<!DOCTYPE/i.test(source))
    throw new Unreadable(`${name} in it has a document type, which office files have not`);
  const fail = (): never => {
    throw new Unreadable(`${name} in it is not XML`);
  };
  return new DOMParser({
    errorHandler: { warning: () => {}, error: fail, fatalError: fail },
  }).parseFromString(source, 'text/xml');
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
const resolved = (folder: string, target: string): string => {
  const parts: string[] = [];
  for (const part of (target.startsWith('/') ? target : folder + target).split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
};

/** All elements of this name below, whatever their prefix. */
export const elements = (node: Document | Element, name: string): Element[] =>
  Array.from(node.getElementsByTagNameNS('*', name));
export const childElements = (node: Element): Element[] =>
  Array.from(node.childNodes).filter((each): each is Element => each.nodeType === 1);
export const textIn = (node: Element, name = 't'): string =>
  elements(node, name)
    .map((each) => each.textContent ?? '')
    .join('');

/** Title, keywords and description that its author gave it. */
export function propertiesOf(file: OfficeFile): { title?: string; keywords?: string[]; summary?: string } {
  const core = file.xml('docProps/core.xml');
  const value = (name: string): string => (core && elements(core, name)[0]?.textContent?.trim()) || '';
  const [title, keywords, summary] = [value('title'), value('keywords'), value('description')];
  return {
    ...(title && { title }),
    ...(keywords && {
      keywords: keywords
        .split(/[,;]/)
        .map((each) => each.trim())
        .filter(Boolean),
    }),
    ...(summary && { summary }),
  };
}
