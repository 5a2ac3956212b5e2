import { Visitor, type CallExpression, type Node } from 'oxc-parser';
import { edgesOf } from './imports.ts';
import { parsed } from './parsed.ts';
import { isTest, lineAt, type Violation, type Source } from './source.ts';

/** Bans that need the syntax tree: a word is fine, but not in this place. */
export function syntaxViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap((source) => {
    const violations: Violation[] = [...importBans(source)];
    const report = ({ start }: Spot, what: string, instead: string): void => {
      violations.push({ path: source.path, line: lineAt(source.text, start), what, instead });
    };
    let enqueuing = 0;
    new Visitor({
      ExportAllDeclaration: (node) => report(node, 'export * is banned', 'name what is exported'),
      ExportDefaultDeclaration: (node) => {
        if (!source.path.endsWith('.config.ts'))
          report(node, 'a default export is banned', 'export it by name');
      },
      SpreadElement: (node) => {
        if (node.argument.type === 'ObjectExpression' && !isTest(source.path))
          report(node, 'spreading a literal is banned: it packs fields to save lines', 'write its fields');
      },
      Property: (node) => {
        if (!node.computed && literal(node.key) === '*')
          report(node, "a '*' handler is banned: it swallows child errors", 'handle events by name');
        if (nameOf(node.key) === 'after' && node.value.type === 'ObjectExpression')
          for (const delay of node.value.properties)
            if (delay.type === 'Property' && /^\d/.test(String(literal(delay.key))))
              report(
                delay,
                'a number in after is banned',
                'take a named delay from machines/kernel/timing.ts',
              );
      },
      CallExpression: (node) => {
        if (calls(node, 'enqueueActions')) enqueuing += 1;
        if (calls(node, 'stopChild') && enqueuing > 0)
          report(node, 'bare stopChild( in enqueueActions does nothing', 'take enqueue.stopChild(');
        if (calls(node, 'createActor') && !mayInspect(source.path)) watchInspect(node, report);
      },
      'CallExpression:exit': (node) => {
        if (calls(node, 'enqueueActions')) enqueuing -= 1;
      },
    }).visit(parsed(source).program);
    return violations;
  });
}

interface Spot {
  readonly start: number;
}
type Report = (at: Spot, what: string, instead: string) => void;

const nameOf = (node: Node): string | undefined => (node.type === 'Identifier' ? node.name : undefined);
const literal = (node: Node): unknown => (node.type === 'Literal' ? node.value : undefined);
const calls = ({ callee }: CallExpression, name: string): boolean => nameOf(callee) === name;

// Tests may look; in the product one guarded tap does.
const mayInspect = (path: string): boolean => isTest(path) || /^actors\/(tap|directory)\b/.test(path);

function watchInspect({ arguments: [, options] }: CallExpression, report: Report): void {
  if (options?.type !== 'ObjectExpression') return;
  for (const option of options.properties)
    if (option.type === 'Property' && nameOf(option.key) === 'inspect')
      report(
        option,
        'inspect: is banned here: an observer that throws loses the event',
        'take actors/runtime/tap.ts',
      );
}

/** Words that are only bad when they come from one package. */
function importBans(source: Source): Violation[] {
  const lines = source.text.split('\n');
  return edgesOf(source).flatMap(({ from: path, line, specifier, names, type }) => {
    const bad = (what: string, instead: string): Violation[] => [{ path, line, what, instead }];
    const waits = specifier === 'xstate' ? names.filter((n) => n === 'waitFor' || n === 'toPromise') : [];
    if (waits.length > 0)
      return bad(`${waits[0]}( is banned: it waits in real time, for ever`, 'take an event or a snapshot');
    if (/^(node:)?timers\/promises$/.test(specifier ?? '') && isTest(path))
      if (!/\/\/ real time: \S/.test(lines[line - 1] ?? ''))
        return bad(
          'a sleep in a test is banned',
          'take virtual time (`// real time: why` lets a line through)',
        );
    if (/^(node:)?child_process$/.test(specifier ?? '') && !type && !mayLaunch(path))
      return bad('child_process is banned here', 'take the port process (adapters/process)');
    return [];
  });
}

const mayLaunch = (path: string): boolean =>
  isTest(path) ||
  /^(adapters\/process|scenarios\/(bench|fixtures|contracts|fault-server|lifecycle))\//.test(path);
