import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { ChartDrawing } from '../../adapters/page/chart/drawing.tsx';
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { graphOf } from '../../adapters/page/chart/graph.ts';
import type { Chart } from '../../machines/trace/chart.ts';
import { charts, folder, indexPage, markOf, pageOf } from './charts.ts';

/** Writes docs/machines: each machine as the inspector draws it, and as text for Mermaid. */
interface Elk {
  layout(graph: ElkNode): Promise<ElkNode>;
}
const ElkOfPackage = createRequire(import.meta.url)('elkjs') as new () => Elk;
const css = readFileSync(new URL('chart.css', import.meta.url), 'utf8');
const nothingLit = {
  active: new Set<string>(),
  taken: new Set<string>(),
  counts: new Map<string, number>(),
  order: new Map<string, number>(),
  chosen: undefined,
};

async function drawn(chart: Chart, elk: Elk): Promise<string> {
  const graph = graphOf(chart);
  const layout = await elk.layout(graph.root);
  const { width = 0, height = 0 } = layout;
  // Leaves the titles out: they count what was taken, and a picture in a page does not show them.
  const inner = renderToString(
    h(ChartDrawing, { chart: { ...graph, drawn: layout }, lit: nothingLit }),
  ).replaceAll(/<title>[^<]*<\/title>/g, '');
  const size = `viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}" height="${Math.ceil(height)}"`;
  return `${markOf(chart)}\n<svg xmlns="http://www.w3.org/2000/svg" ${size}><style>${css}</style>${inner}</svg>\n`;
}
const elk = new ElkOfPackage();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const chart of charts) {
  writeFileSync(join(folder, `${chart.kind}.svg`), await drawn(chart, elk));
  writeFileSync(join(folder, `${chart.kind}.md`), pageOf(chart));
}
writeFileSync(join(folder, 'README.md'), indexPage);
process.stdout.write(`drew ${charts.length} machines into docs/machines\n`);
