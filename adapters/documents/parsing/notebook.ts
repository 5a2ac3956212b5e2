import type { Draft } from '../../../machines/documents.ts';
import { jsonIn, isObject } from '../../../machines/protocol/json.ts';
import { textReader } from './encoding.ts';
import { draftsOfHtml } from './html.ts';
import { draftsOfMarkdown } from './markdown.ts';
import { documentOf, Unreadable } from './reader.ts';

export const readNotebook = textReader((source, { name }) => {
  const notebook = jsonIn(source);
  if (!isObject(notebook)) throw new Unreadable('it is not a notebook');
  const sheets = listOf(notebook['worksheets']);
  const cells = [notebook, ...sheets].flatMap((each) => (isObject(each) ? listOf(each['cells']) : []));
  const language = languageOf(notebook['metadata']);
  const drafts = cells.flatMap((cell) => (isObject(cell) ? draftsOf(cell, language) : []));
  return documentOf(drafts, name);
});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Returns the text of a field of a notebook, which is one text or a list of lines. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : '';
const languageOf = (metadata: unknown): string => {
  const info = isObject(metadata) ? (metadata['language_info'] ?? metadata['kernelspec']) : undefined;
  const said = isObject(info) ? (info['name'] ?? info['language']) : undefined;
  return typeof said === 'string' && /^[\w+#-]+$/.test(said) ? said : 'python';
};

function draftsOf(cell: Readonly<Record<string, unknown>>, language: string): Draft[] {
  const text = textOf(cell['source'] ?? cell['input']);
  const kind = cell['cell_type'];
  if (kind === 'markdown') return draftsOfMarkdown(text);
  if (kind === 'heading')
    return [{ category: 'heading', content: { text, level: Number(cell['level']) || 1 } }];
  const outputs = listOf(cell['outputs']).flatMap((each) => (isObject(each) ? outputOf(each) : []));
  if (text.trim() === '') return outputs;
  const content = { text, ...(kind === 'code' && { language }) };
  return [{ category: kind === 'code' ? 'code' : 'text', content }, ...outputs];
}

/** In the most useful form: a table, else text, else the type of an image. */
function outputOf(output: Readonly<Record<string, unknown>>): Draft[] {
  const said = (text: string): Draft[] =>
    text.trim() === '' ? [] : [{ category: 'code', content: { text: plain(text) }, summary: 'output' }];
  if (output['output_type'] === 'stream') return said(textOf(output['text']));
  if (output['output_type'] === 'error' || output['output_type'] === 'pyerr')
    return said(textOf(listOf(output['traceback']).map((line) => `${String(line)}\n`)));
  const data = isObject(output['data']) ? output['data'] : output;
  const html = textOf(data['text/html'] ?? data['html']);
  if (/<table/i.test(html)) return draftsOfHtml(html).drafts;
  const latex = textOf(data['text/latex']);
  if (latex !== '')
    return [{ category: 'formula', content: { expression: latex.replace(/^\$+|(?<!\$)\$+$/g, '') } }];
  const image = Object.keys(data).find((type) => /^image\/|^(png|jpeg|svg)$/.test(type));
  const text = textOf(data['text/markdown'] ?? data['text/plain'] ?? data['text']);
  if (image !== undefined) return [{ category: 'image', content: { description: plain(text) || image } }];
  return said(text);
}
// oxlint-disable-next-line no-control-regex -- the codes begin with a control character
const plain = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '').trimEnd();
