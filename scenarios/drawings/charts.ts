import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { machines } from '../../actors/kinds/all.ts';
import { chartOf } from '../../actors/runtime/charts.ts';
import type { Chart } from '../../machines/trace/chart.ts';
import { graphOf, labelOf, type Arrow, type Graph } from '../../adapters/page/chart/graph.ts';

/** GitHub draws it; arrows with the same ends are merged. */
function mermaidOf(chart: Chart): string {
  const graph = graphOf(chart);
  const lines = [
    ...statesIn('', chart, graph, '  '),
    ...[...graph.arrows.values()].flatMap(arrowLines(graph)),
  ];
  return ['stateDiagram-v2', ...lines].join('\n');
}
const idOf = (path: string): string => (path === '(any)' ? 'any_state' : path.replaceAll(/\W/g, '_'));
const parentOf = (path: string): string => path.split('.').slice(0, -1).join('.');
const initialOf = (chart: Chart, path: string): readonly string[] =>
  chart.nodes.find((node) => node.path === (path === '' ? '(any)' : path))?.initial ?? [];

function statesIn(path: string, chart: Chart, graph: Graph, indent: string): string[] {
  const inner = [...graph.boxes].filter(([each]) => parentOf(each) === path && each !== path);
  const states = inner.flatMap(([each, { name, isInner, node }]) => {
    const head = `${indent}state "${name}" as ${idOf(each)}`;
    const end = node.type === 'final' ? [`${indent}${idOf(each)} --> [*]`] : [];
    return isInner
      ? [`${head} {`, ...statesIn(each, chart, graph, `${indent}  `), `${indent}}`]
      : [head, ...end];
  });
  const first = initialOf(chart, path).filter((each) => graph.boxes.has(each) && parentOf(each) === path);
  return [...first.map((each) => `${indent}[*] --> ${idOf(each)}`), ...states];
}
const arrowLines =
  ({ boxes }: Graph) =>
  ({ from, to, transitions }: Arrow): string[] => {
    if (!boxes.has(from) || !boxes.has(to)) return [];
    // A semicolon ends a line of Mermaid.
    const label = transitions.map(labelOf).join('<br>').replaceAll(';', ',');
    return [`  ${idOf(from)} --> ${idOf(to)}: ${label}`];
  };

export const folder = fileURLToPath(new URL('../../docs/machines/', import.meta.url));
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const charts: readonly Chart[] = Object.entries(machines).map(([kind, machine]) =>
  chartOf(kind, machine, sha256),
);
export const pageOf = (chart: Chart): string => `# ${chart.kind}

Written by \`npm run draw\` from the machine itself; the inspector draws it the same way.

![The states of ${chart.kind}](${chart.kind}.svg)

\`\`\`mermaid
${mermaidOf(chart)}
\`\`\`
`;
export const indexPage = `# The machines

Drawn by \`npm run draw\`. [ARCHITECTURE.md](../ARCHITECTURE.md) says who owns whom.

| machine | states | transitions |
|---|---|---|
${charts.map(({ kind, nodes, transitions }) => `| [${kind}](${kind}.md) | ${nodes.length - 1} | ${transitions.length} |`).join('\n')}
`;
/** A picture of an older machine is detected by it without drawing it again. */
export const markOf = ({ fingerprint }: Chart): string => `<!-- chart ${fingerprint} -->`;
