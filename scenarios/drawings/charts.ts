import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { machines } from '../../actors/runtime/assemble.ts';
import { chartOf } from '../../actors/runtime/charts.ts';
import type { Chart } from '../../machines/inspection/index.ts';
import { mermaidOf } from './mermaid.ts';

/** The drawings of the machines in the docs: what they are made of, and where they stand. */
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
/** Stands in each picture, so that one of an older machine is seen without drawing it again. */
export const markOf = ({ fingerprint }: Chart): string => `<!-- chart ${fingerprint} -->`;
