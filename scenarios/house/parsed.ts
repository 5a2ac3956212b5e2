import { parseSync, Visitor, type ParseResult } from 'oxc-parser';
import type { Source } from './source.ts';

export interface Parsed {
  readonly program: ParseResult['program'];
  readonly module: ParseResult['module'];
  /** The text with comments, strings and patterns blanked, so that a word in prose is not taken for code. */
  readonly code: string;
  /** The text with everything but comments blanked. Both keep every offset. */
  readonly comments: string;
}

const cache = new WeakMap<Source, Parsed>();

/** Parses once per file. Throws on a syntax error: a file that no check can read must not pass. */
export function parsed(source: Source): Parsed {
  const known = cache.get(source);
  if (known) return known;
  const { program, module, comments, errors } = parseSync(source.path, source.text);
  if (errors.length > 0) throw new Error(`${source.path}: ${errors[0]?.message}`);
  const prose: Span[] = comments.map(({ start, end }) => ({ start, end }));
  const texts: Span[] = [];
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string' || 'regex' in node) texts.push(node);
    },
    TemplateElement: (node) => {
      texts.push(node);
    },
  }).visit(program);
  const result: Parsed = {
    program,
    module,
    code: blank(source.text, [...prose, ...texts]),
    comments: blank(source.text, between(prose, source.text.length)),
  };
  cache.set(source, result);
  return result;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const blank = (text: string, spans: readonly Span[]): string => {
  let out = '';
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    out += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    at = end;
  }
  return out + text.slice(at);
};

const between = (spans: readonly Span[], length: number): Span[] => {
  const edges = [0, ...spans.flatMap(({ start, end }) => [start, end]), length];
  return spans
    .concat({ start: length, end: length })
    .map((_, i) => ({ start: edges[2 * i] ?? 0, end: edges[2 * i + 1] ?? length }));
};
