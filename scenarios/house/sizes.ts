import { Visitor } from 'oxc-parser';
import { parsed } from './parsed.ts';
import { isTest, lineAt, type Violation, type Source } from './source.ts';

/** Lines of a function. A file is cut where its subject is, not where its lines end. */
export const longestFunction = 70;

export const sizeViolations = (sources: readonly Source[]): Violation[] =>
  sources
    .flatMap(functionSizes)
    .filter(({ lines }) => lines > longestFunction)
    .map(({ path, line, name, lines }) => ({
      path,
      line,
      what: `${name} has ${lines} lines`,
      instead: `split it: at most ${longestFunction}`,
    }));
interface Size {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly lines: number;
}

export const lengthOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

export function medianLength(sources: readonly Source[]): number {
  const lengths = sources.map(({ text }) => lengthOf(text)).toSorted((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? 0;
}

function functionSizes(source: Source): Size[] {
  const sizes: Size[] = [];
  const names = new Map<number, string>();
  // A `describe` is a chapter, not a function: only what stands in it is measured.
  const chapters = new Set<number>();
  const measure = (start: number, end: number): void => {
    const line = lineAt(source.text, start);
    const lines = lineAt(source.text, end) - line + 1;
    const name = names.get(start) ?? 'a function';
    if (!chapters.has(start)) sizes.push({ path: source.path, line, name, lines });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (init && id.type === 'Identifier') names.set(init.start, id.name);
    },
    Property: ({ key, value }) => {
      if (key.type === 'Identifier') names.set(value.start, key.name);
    },
    MethodDefinition: ({ key, value }) => {
      if (key.type === 'Identifier') names.set(value.start, key.name);
    },
    CallExpression: ({ start, arguments: args }) => {
      if (isTest(source.path) && source.text.startsWith('describe', start))
        for (const each of args) chapters.add(each.start);
    },
    FunctionDeclaration: ({ start, end, id }) => {
      if (id) names.set(start, id.name);
      measure(start, end);
    },
    FunctionExpression: ({ start, end }) => measure(start, end),
    ArrowFunctionExpression: ({ start, end }) => measure(start, end),
  }).visit(parsed(source).program);
  return sizes;
}
