import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import { parsed } from './parsed.ts';
import { lineAt, type Source } from './source.ts';

export interface Edge {
  readonly from: string;
  readonly line: number;
  /** As written, such as `../wire/failure.ts` or `node:fs`. `undefined` when it is computed at run time. */
  readonly specifier: string | undefined;
  /** The file it names, when it is relative. */
  readonly to: string | undefined;
  /** `import type` or `export type`. `import { type A }` still loads the module under verbatimModuleSyntax. */
  readonly type: boolean;
  /** `import()` at run time. */
  readonly lazy: boolean;
  /** The names taken, for rules about one export. */
  readonly names: readonly string[];
}

const typeOnly = /^(import|export)\s+type\b(?!\s*(,|from\b))/;

/** Everything that a file imports or re-exports, `import()` and `import('…').T` too. */
export function edgesOf(source: Source): Edge[] {
  const { module, program } = parsed(source);
  const { path, text } = source;
  const edge = (start: number, specifier: string | undefined, rest: Partial<Edge>): Edge => ({
    from: path,
    line: lineAt(text, start),
    specifier,
    to: specifier?.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined,
    type: typeOnly.test(text.slice(start)),
    lazy: false,
    names: [],
    ...rest,
  });
  const edges = module.staticImports.map(({ start, moduleRequest, entries }) =>
    edge(start, moduleRequest.value, { names: entries.flatMap((e) => e.importName.name ?? []) }),
  );
  for (const { start, entries } of module.staticExports) {
    const request = entries.find((e) => e.moduleRequest)?.moduleRequest;
    if (request) edges.push(edge(start, request.value, {}));
  }
  for (const { start, moduleRequest } of module.dynamicImports) {
    const written = /^(['"`])([^'"`$]*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2];
    edges.push(edge(start, written, { lazy: true, type: false }));
  }
  new Visitor({
    TSImportType: (node) => {
      edges.push(edge(node.start, node.source.value, { type: true }));
    },
  }).visit(program);
  return edges;
}
