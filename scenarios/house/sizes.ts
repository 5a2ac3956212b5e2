import { Visitor } from 'oxc-parser';
import { parsed } from './parsed.ts';
import { isMachine, isTest, lineAt, type Violation, type Source } from './source.ts';

export const limits = { file: 300, machine: 200, function: 70 };

/** What is larger than its limit, as measured when it was let in: `path` or `path#function` → lines. */
export type Exceptions = Readonly<Record<string, number>>;

interface Size {
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly lines: number;
  readonly limit: number;
}

/** A ratchet: an exception must equal the size of today, so it can be lowered or dropped but never drift. */
export function sizeViolations(sources: readonly Source[], exceptions: Exceptions): Violation[] {
  const sizes = sources.flatMap((source) => [fileSize(source), ...functionSizes(source)]);
  const violations = sizes.flatMap(({ key, path, line, lines, limit }): Violation[] => {
    const granted = exceptions[key];
    if (lines <= limit) return [];
    if (granted === undefined)
      return [{ path, line, what: `${key} has ${lines} lines`, instead: `split it: at most ${limit}` }];
    if (lines === granted) return [];
    const instead = lines > granted ? 'make it smaller again' : `lower it to ${lines} in sizes.json`;
    return [{ path, line, what: `${key} has ${lines} lines, its exception says ${granted}`, instead }];
  });
  const large = new Set(sizes.filter(({ lines, limit }) => lines > limit).map(({ key }) => key));
  const stale = Object.keys(exceptions).filter((key) => !large.has(key));
  return violations.concat(
    stale.map((key) => ({
      path: 'scenarios/house/sizes.json',
      line: 1,
      what: `${key} is not too large any more`,
      instead: 'drop its exception',
    })),
  );
}

export const lengthOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

export function medianLength(sources: readonly Source[]): number {
  const lengths = sources.map(({ text }) => lengthOf(text)).toSorted((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? 0;
}

const fileSize = ({ path, text }: Source): Size => ({
  key: path,
  path,
  line: 1,
  lines: lengthOf(text),
  limit: isMachine(path) ? limits.machine : limits.file,
});

function functionSizes(source: Source): Size[] {
  const sizes: Size[] = [];
  const names = new Map<number, string>();
  // A `describe` is a chapter, not a function: only what stands in it is measured.
  const chapters = new Set<number>();
  const measure = (start: number, end: number): void => {
    const line = lineAt(source.text, start);
    const lines = lineAt(source.text, end) - line + 1;
    const key = `${source.path}#${names.get(start) ?? `line ${line}`}`;
    if (!chapters.has(start)) sizes.push({ key, path: source.path, line, lines, limit: limits.function });
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
