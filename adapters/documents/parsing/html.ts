/** Markdown of a web page or of the HTML part of a mail. */
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { limits } from '../../../machines/document-files.ts';
import { renderElement, type Draft } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';
import { equationText, type MathNode } from './equations.ts';
import { documentOf, isTarget, linkText } from './reader.ts';

/** Scripts are neither run nor shown. */
export const readHtml = textReader((text, { name }) => {
  const { drafts, title, meta } = draftsOfHtml(text);
  return documentOf(drafts, name, { title, summary: meta['description'], keywords: meta['keywords'] });
});

interface Found {
  readonly drafts: Draft[];
  title: string | undefined;
  readonly meta: Record<string, string>;
}
export function draftsOfHtml(source: string): Found {
  const root = parse(source);
  const found: Found = { drafts: [], title: undefined, meta: {} };
  const walker = new Walker(found, blocksIn(root));
  walker.walk(root);
  walker.flush();
  return found;
}

export const plainText = (drafts: readonly Draft[]): string =>
  drafts.map((draft) => renderElement({ element_id: '', ...draft }, 'text')).join('\n');

/** Largest number of nested levels that are kept; deeper ones become one text. */
const deepest = 200;
const silent = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'datalist']);
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const blocks = setOf(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form frameset ' +
    'head header hgroup html legend li main nav optgroup option p search section select summary tbody td textarea tfoot th ' +
    'thead tr',
);
const whole = setOf('h1 h2 h3 h4 h5 h6 ul ol menu dir table pre hr');
const lists = setOf('ul ol menu dir');

type Element = Tree.Element;
const isElement = (node: Tree.Node): node is Element => 'tagName' in node;
const isText = (node: Tree.Node): node is Tree.TextNode => node.nodeName === '#text';
const childrenOf = (node: Tree.Node): readonly Tree.ChildNode[] =>
  'childNodes' in node ? node.childNodes : [];
const elementsOf = (node: Tree.Node, ...tags: string[]): Element[] =>
  childrenOf(node).filter((each): each is Element => isElement(each) && tags.includes(each.tagName));
const attribute = (node: Element, key: string): string | undefined =>
  node.attrs.find(({ name }) => name === key)?.value;
const all = (node: Tree.Node, tag: string): Element[] =>
  childrenOf(node).flatMap((each) => [
    ...(isElement(each) && each.tagName === tag ? [each] : []),
    ...all(each, tag),
  ]);

/** Not recursive itself, because the levels may be too deep for a recursive walk. */
function blocksIn(root: Tree.Document): ReadonlySet<Tree.Node> {
  const order: { node: Tree.Node; parent: Tree.Node | undefined; depth: number }[] = [];
  const waiting = [{ node: root as Tree.Node, parent: undefined as Tree.Node | undefined, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    order.push(next);
    const { node, depth } = next;
    if (depth >= deepest && 'childNodes' in node) {
      const value = textBelow(node);
      node.childNodes = [{ nodeName: '#text', value, parentNode: node }];
    }
    for (const child of childrenOf(node)) waiting.push({ node: child, parent: node, depth: depth + 1 });
  }
  const found = new Set<Tree.Node>();
  for (const { node, parent } of order.toReversed()) {
    const isBlock = isElement(node) && (blocks.has(node.tagName) || whole.has(node.tagName));
    if (parent && (isBlock || found.has(node))) found.add(parent);
  }
  return found;
}
function textBelow(root: Tree.Node): string {
  const texts: string[] = [];
  const waiting: Tree.Node[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (isText(node)) texts.push(node.value);
    if (!isElement(node) || !silent.has(node.tagName)) waiting.push(...childrenOf(node).toReversed());
  }
  return texts.join(' ');
}

const lineBreak = '\u2028';
const tidy = (text: string): string =>
  text
    .replaceAll('\u00ad', '')
    .replace(/[ \t\r\f\n\u00a0]+/g, ' ')
    .replace(/ ?\u2028 ?/g, '\n')
    .replace(/\n\n\n+/g, '\n\n')
    .replace(/^[ \n]+|(?<![ \n])[ \n]+$/g, '');

const [raised, lowered] = ['⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ'];
const plainLetters = '0123456789+-=()ni';
/** With the letters that Unicode has for it, else as `^(…)` or `_(…)`. */
export function shifted(text: string, isRaised: boolean): string {
  const said = text.trim().replaceAll('−', '-');
  if (said === '' || /^[[*†‡(]/.test(said)) return text;
  const letters = isRaised ? raised : lowered;
  const places = said.split('').map((each) => plainLetters.indexOf(each));
  if (places.every((at) => at >= 0)) return places.map((at) => letters[at] ?? '').join('');
  return `${isRaised ? '^' : '_'}${said.length === 1 ? said : `(${said})`}`;
}

class Walker {
  readonly #found: Found;
  readonly #hasBlocks: ReadonlySet<Tree.Node>;
  #open = '';
  #images: Draft[] = [];
  /** Links without their targets, as in headings, whose text is the title of a page. */
  #isPlain = false;

  constructor(found: Found, hasBlocks: ReadonlySet<Tree.Node>) {
    this.#found = found;
    this.#hasBlocks = hasBlocks;
  }

  flush(): void {
    const text = tidy(this.#open);
    const formula = /^\$\$?([^$]+)\$\$?$/.exec(text);
    if (formula) this.#add({ category: 'formula', content: { expression: formula[1] ?? '' } });
    else if (text !== '') this.#add({ category: 'text', content: { text } });
    this.#add(...this.#images);
    [this.#open, this.#images] = ['', []];
  }

  #add(...drafts: Draft[]): void {
    this.#found.drafts.push(...drafts);
  }

  walk(node: Tree.Node): void {
    if (!isElement(node)) {
      if (isText(node)) this.#open += node.value;
      else for (const each of childrenOf(node)) this.walk(each);
      return;
    }
    const tag = node.tagName;
    if (tag === 'title') this.#found.title ??= tidy(textBelow(node)) || undefined;
    else if (tag === 'meta') this.#remember(node);
    else if (silent.has(tag)) return;
    else if (whole.has(tag)) {
      this.flush();
      this.#whole(node);
    } else if (tag === 'dl' && this.#comments(node)) return;
    else if (blocks.has(tag) || this.#hasBlocks.has(node)) {
      const url = tag === 'a' ? attribute(node, 'href') : undefined;
      if (blocks.has(tag)) this.flush();
      for (const each of childrenOf(node)) this.walk(each);
      if (blocks.has(tag) || isTarget(url)) this.flush();
      const text = isTarget(url) ? tidy(textBelow(node)) : '';
      if (isTarget(url)) this.#add({ category: 'link', content: { text: text || url, url } });
    } else this.#open += this.#inline(node);
  }

  #remember(node: Element): void {
    const [name, content] = [attribute(node, 'name')?.toLowerCase(), attribute(node, 'content')];
    if (name !== undefined && content !== undefined) this.#found.meta[name] ??= content;
  }

  #whole(node: Element): void {
    const tag = node.tagName;
    if (tag === 'table') return this.#table(node);
    if (tag === 'pre') {
      const [, language] = /(?:lang(?:uage)?|brush)[-:]\s*(\w+)/.exec(classesOf(node)) ?? [];
      const text = preformatted(node).replace(/^\n|\n$/g, '');
      return this.#add({ category: 'code', content: { text, ...(language && { language }) } });
    }
    if (tag === 'hr') return this.#add({ category: 'separator', content: {} });
    if (lists.has(tag)) this.#list(node);
    else {
      this.#isPlain = true;
      const text = tidy(this.#within(node)).replaceAll('\n', ' ');
      this.#isPlain = false;
      const content = { text, level: Number(tag[1]) };
      if (text !== '') this.#add({ category: 'heading', content });
    }
    this.#afterWhole();
  }
  #afterWhole(): void {
    this.#add(...this.#images);
    this.#images = [];
  }

  #within(node: Tree.Node): string {
    return childrenOf(node)
      .map((each) => this.#inline(each))
      .join('');
  }

  #inline(node: Tree.Node): string {
    if (isText(node)) return node.value;
    if (!isElement(node) || silent.has(node.tagName)) return '';
    const tag = node.tagName;
    if (tag === 'br') return lineBreak;
    if (tag === 'img') return this.#image(node);
    if (lists.has(tag)) return lineBreak + linesOf(this.#itemsOf(node), node) + lineBreak;
    if (tag === 'table') return lineBreak + this.#nestedTable(node) + lineBreak;
    if (tag === 'pre') {
      const text = preformatted(node).replaceAll('\n', lineBreak).replaceAll(' ', '\u2007');
      return lineBreak + text + lineBreak;
    }
    if (tag === 'math') return mathText(node);
    if (tag === 'sup' || tag === 'sub') return shifted(this.#within(node), tag === 'sup');
    if (tag === 'rt') return `(${this.#within(node)})`;
    if (tag === 'rp') return '';
    if (tag === 'input') return inputText(node);
    if (tag === 'button') return ` ${this.#within(node)} `;
    if (tag === 'a') return this.#link(node);
    const text = this.#within(node);
    return blocks.has(tag) || whole.has(tag) ? lineBreak + text + lineBreak : text;
  }

  #link(node: Element): string {
    const written = this.#within(node);
    const [text, url] = [tidy(written), attribute(node, 'href')];
    if (!isTarget(url)) return written;
    const said = text || (this.#hasBlocks.has(node) ? '' : (attribute(node, 'title') ?? ''));
    if (said === '') return written;
    const [before = '', after = ''] = [/^\s/.exec(written)?.[0], /\s$/.exec(written)?.[0]];
    return this.#isPlain || said.includes('\n') ? written : before + linkText(said, url) + after;
  }

  #image(node: Element): string {
    const [alt, url = ''] = [attribute(node, 'alt') ?? '', attribute(node, 'src')];
    // Image data in an attribute is useless to a reader.
    const content = /^(data|embedded):/.test(url) ? { description: alt } : { alt, url };
    this.#images.push({ category: 'image', content });
    return '';
  }

  /** A list directly within a list belongs to the item before it. */
  #itemsOf(node: Element): string[] {
    const items: string[] = [];
    for (const each of childrenOf(node)) {
      if (isElement(each) && lists.has(each.tagName) && items.length > 0) {
        const lines = inLines(linesOf(this.#itemsOf(each), each));
        items.push(`${items.pop() ?? ''}\n${lines}`);
      } else if (isElement(each) && each.tagName === 'li') items.push(inLines(this.#within(each)));
      else {
        const text = inLines(this.#inline(each));
        if (text !== '') items.push(text);
      }
    }
    return items;
  }
  #list(node: Element): void {
    const entries = elementsOf(node, 'li');
    if (entries.length > 0 && entries.every(isNote)) {
      for (const each of entries) {
        const text = inLines(this.#within(each)).replace(/(?<!\s)\s*↑$/, '');
        this.#add({ category: 'annotation', content: { text } });
      }
      return;
    }
    const items = this.#itemsOf(node);
    const [start, isOrdered] = [startOf(node), node.tagName === 'ol'];
    const content = {
      items,
      ordered: isOrdered,
      ...(isOrdered && start !== 1 && { start }),
    };
    if (items.length > 0) this.#add({ category: 'list', content });
  }
  /** mammoth writes comments of DOCX as a list of descriptions at the end. False for any other list. */
  #comments(node: Element): boolean {
    const names = elementsOf(node, 'dt');
    if (names.length === 0 || !names.every((each) => /^comment-\d/.test(attribute(each, 'id') ?? '')))
      return false;
    this.flush();
    const texts = elementsOf(node, 'dd');
    for (const [at, each] of names.entries()) {
      const text = inLines(this.#within(texts[at] ?? each)).replace(/(?<!\s)\s*↑$/, '');
      const name = tidy(textBelow(each)).replace(/^Comment \[(.*)\]$/, '$1');
      const id = (attribute(each, 'id') ?? '').replace('comment-', '');
      this.#add({ category: 'annotation', content: { text, kind: 'comment', name }, metadata: { id } });
    }
    return true;
  }

  #table(node: Element): void {
    const rows = rowsOf(node);
    if (isLayout(node, rows)) {
      for (const caption of elementsOf(node, 'caption')) this.walk(caption);
      for (const row of rows)
        for (const each of cellsOf(row)) {
          this.walk(each);
          this.flush();
        }
      return;
    }
    const [columns = [], ...rest] = this.#grid(rows);
    const [caption] = elementsOf(node, 'caption').map((each) => inLines(this.#within(each)));
    if (caption) this.#add({ category: 'text', content: { text: caption } });
    if (columns.length > 0)
      this.#add({
        category: 'table',
        content: { columns, rows: rest },
        ...(caption && { summary: caption }),
      });
    this.#afterWhole();
  }

  /** A cell that spans rows or columns is repeated in each place that it covers. */
  #grid(rows: readonly Element[]): string[][] {
    const grid: string[][] = rows.map(() => []);
    let room: number = limits.tableCells;
    for (const [top, row] of rows.entries()) {
      let left = 0;
      for (const each of cellsOf(row)) {
        while (grid[top]?.[left] !== undefined) left += 1;
        const text = inLines(this.#within(each));
        const wide = spanOf(each, 'colspan', 1000);
        const high = Math.min(spanOf(each, 'rowspan', 65_534), rows.length - top);
        for (let y = top; y < top + high; y += 1)
          for (let x = left; x < left + wide; x += 1) {
            if (room <= 0 && (x > left || y > top)) continue;
            room -= 1;
            const line = grid[y];
            if (line) line[x] ??= text;
          }
        left += wide;
      }
    }
    const width = Math.max(0, ...grid.map((row) => row.length));
    const filled = grid.map((row) => Array.from(row, (text) => text ?? ''));
    return width === 0 ? [] : filled.filter((row) => row.length > 0);
  }

  #nestedTable(node: Element): string {
    return this.#grid(rowsOf(node))
      .map((row) => row.map((text) => text.replaceAll('\n', ' ')).join(', '))
      .join(lineBreak);
  }
}

const startOf = (list: Element): number => Number(attribute(list, 'start') ?? 1) || 1;
/** Line breaks and indents are special characters, which `inLines` replaces. */
const linesOf = (items: readonly string[], list: Element): string =>
  items
    .map((item, at) => {
      const mark = list.tagName === 'ol' ? `${startOf(list) + at}. ` : '- ';
      return mark + item.replaceAll('\n', `\n${' '.repeat(mark.length)}`);
    })
    .join('\n')
    .replace(/\n( *)/g, (_, spaces: string) => lineBreak + '\u2007'.repeat(spaces.length));

/** Indents of nested lists, which were figure spaces, become spaces. */
const inLines = (text: string): string =>
  tidy(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
    .replaceAll('\u2007', ' ');

const classesOf = (node: Element): string =>
  [node, ...elementsOf(node, 'code')].map((each) => attribute(each, 'class') ?? '').join(' ');
const preformatted = (node: Tree.Node): string => {
  if (isText(node)) return node.value;
  if (!isElement(node)) return '';
  if (node.tagName === 'br') return '\n';
  return silent.has(node.tagName) ? '' : childrenOf(node).map(preformatted).join('');
};
/** mammoth writes footnotes of DOCX in a list at the end, with an arrow back. */
const isNote = (node: Element): boolean => /^(foot|end)note-/.test(attribute(node, 'id') ?? '');

function mathText(node: Element): string {
  const tex = all(node, 'annotation').find((each) => /tex/i.test(attribute(each, 'encoding') ?? ''));
  const said = attribute(node, 'alttext') ?? (tex && tidy(textBelow(tex)));
  const text = said ?? (equationText(mathNode(node)) || tidy(textBelow(node)));
  return text === '' ? '' : `$${text.replaceAll('$', '')}$`;
}
const mathNode = (node: Element): MathNode => ({
  tag: node.tagName,
  text: textBelow(node),
  children: childrenOf(node).filter(isElement).map(mathNode),
});
function inputText(node: Element): string {
  const type = attribute(node, 'type') ?? 'text';
  const isOn = attribute(node, 'checked') !== undefined;
  if (type === 'checkbox' || type === 'radio') return isOn ? '[x] ' : '[ ] ';
  return /^(submit|button|text|search|email|url|tel|number|date)$/.test(type)
    ? ` ${attribute(node, 'value') ?? attribute(node, 'placeholder') ?? ''} `
    : '';
}

const rowsOf = (node: Element): Element[] =>
  childrenOf(node).flatMap((each): Element[] => {
    if (!isElement(each)) return [];
    return each.tagName === 'tr'
      ? [each]
      : /^t(head|body|foot)$/.test(each.tagName)
        ? elementsOf(each, 'tr')
        : [];
  });
const cellsOf = (row: Element): Element[] => elementsOf(row, 'td', 'th');
const spanOf = (node: Element, key: string, most: number): number =>
  Math.min(Math.max(1, Math.trunc(Number(attribute(node, key) ?? 1)) || 1), most);
/** Its role says so; or, without header cells, it has one cell, a heading, or larger inner tables. */
function isLayout(node: Element, rows: readonly Element[]): boolean {
  if (/^(presentation|none)$/.test(attribute(node, 'role') ?? '')) return true;
  const cells = rows.flatMap(cellsOf);
  if (cells.some(({ tagName }) => tagName === 'th')) return false;
  if (cells.length === 1) return true;
  const inner = cells.flatMap((cell) => all(cell, 'td'));
  return (
    inner.length > cells.length || cells.some((cell) => all(cell, 'h1').length + all(cell, 'h2').length > 0)
  );
}
