/** Conversion of a statechart into boxes and arrows, which the layout library elk places. Pure functions. */
import type { ElkLabel, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Chart, ChartNode, ChartTransition } from '../../../machines/trace/chart.ts';
import { embedded } from '../../../machines/inspection.ts';
import { unpacked } from '../unpacked.ts';

export interface Arrow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly transitions: readonly ChartTransition[];
}
interface Box {
  readonly node: ChartNode;
  readonly name: string;
  readonly isInner: boolean;
  readonly lines: readonly string[];
}
export interface Graph {
  readonly root: ElkNode;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly arrows: ReadonlyMap<string, Arrow>;
}
export interface LaidOut extends Graph {
  readonly drawn: ElkNode;
}

const anyPath = '(any)';
const charWidth = 6.3;
export const lineHeight = 15;
const headHeight = 24;
const pad = 10;

export const labelOf = ({ event, guard, delay }: ChartTransition): string =>
  `${delay === undefined ? event : `after ${delay}`}${guard === undefined ? '' : ` [${guard}]`}`;
const isStaying = ({ from, to, reenter }: ChartTransition): boolean =>
  to.length === 0 || (to.length === 1 && to[0] === from && !reenter);
const parentOf = (path: string): string => path.split('.').slice(0, -1).join('.');
const nameOf = (path: string): string => path.split('.').at(-1) ?? path;
const widthOf = (lines: readonly string[]): number =>
  Math.max(...lines.map((line) => line.length), 0) * charWidth;

function boxOf(node: ChartNode, chart: Chart): Box {
  const isInner = chart.nodes.some(({ path }) => path !== anyPath && parentOf(path) === node.path);
  const name = node.path === anyPath ? 'any state' : nameOf(node.path);
  return { node, name, isInner, lines: node.invoke.map(({ src }) => `port ${src}`) };
}
function arrowsOf(chart: Chart): Arrow[] {
  const grouped = new Map<string, ChartTransition[]>();
  for (const transition of chart.transitions)
    if (!isStaying(transition))
      for (const to of transition.to) {
        const id = `${transition.from} → ${to}`;
        const others = grouped.get(id);
        if (others) others.push(transition);
        else grouped.set(id, [transition]);
      }
  return [...grouped].map(([id, transitions]) => ({
    id,
    from: transitions[0]?.from ?? '',
    to: id.slice(id.indexOf(' → ') + 3),
    transitions,
  }));
}
const mostNamed = 3;
const mostLabelChars = 34;
export const labelHeight = 13;
const labelCharWidth = 5.9;
export function linesOf({ transitions }: Arrow): readonly string[] {
  const lines = [...new Set(transitions.map(labelOf))];
  const named = lines.slice(0, lines.length > mostNamed ? mostNamed - 1 : mostNamed);
  const rest = lines.length - named.length;
  return [
    ...named.map((line) => (line.length > mostLabelChars ? `${line.slice(0, mostLabelChars - 1)}…` : line)),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
}
function labelsOf(arrow: Arrow): ElkLabel[] {
  const lines = linesOf(arrow);
  const width = Math.max(...lines.map(({ length }) => length)) * labelCharWidth + 6;
  const layoutOptions = { 'elk.edgeLabels.inline': 'false', 'elk.edgeLabels.placement': 'CENTER' };
  const shape = {
    id: `label ${arrow.id}`,
    text: lines.join('\n'),
    width,
    height: lines.length * labelHeight + 2,
  };
  return [{ ...shape, layoutOptions }];
}
const options: Record<string, string> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.spacing.nodeNode': '30',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeNode': '14',
  'elk.layered.spacing.nodeNodeBetweenLayers': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
};
export function takenOf(
  chart: Chart,
  counts: ReadonlyMap<string, number>,
  active: ReadonlySet<string>,
): Chart {
  const transitions = chart.transitions.filter(({ id }) => (counts.get(id) ?? 0) > 0);
  const ends = transitions.flatMap(({ from, to }) => [from, ...to]);
  const paths = new Set([...active, ...ends].flatMap((path) => [path, ...aboveOf(path)]));
  const taken = transitions.map(({ id }) => id).toSorted();
  return {
    kind: chart.kind,
    fingerprint: `${chart.fingerprint} ${[...paths].toSorted().join(' ')} ${taken.join(' ')}`,
    nodes: chart.nodes.filter(({ path }) => paths.has(path)),
    transitions,
  };
}
const aboveOf = (path: string): readonly string[] =>
  path.includes('.') ? [parentOf(path), ...aboveOf(parentOf(path))] : [];
export function graphOf(chart: Chart): Graph {
  const arrows = arrowsOf(chart);
  const isUsed = arrows.some(({ from }) => from === anyPath);
  const boxes = new Map(
    chart.nodes
      .filter(({ path }) => path !== anyPath || isUsed)
      .map((node) => [node.path, boxOf(node, chart)]),
  );
  const shapeOf = (path: string): ElkNode => {
    const box = boxes.get(path);
    const lines = box?.lines ?? [];
    const width = Math.max(widthOf([`▶ ${box?.name ?? ''} ×99`]) * 1.15, widthOf(lines)) + 2 * pad;
    const height = headHeight + lines.length * lineHeight + (lines.length > 0 ? 6 : 0);
    if (!box?.isInner) return { id: path, width, height };
    const padding = `[top=${height + 8},left=${pad + 4},bottom=${pad + 4},right=${pad + 4}]`;
    return {
      id: path,
      children: childrenOf(path),
      layoutOptions: {
        'elk.padding': padding,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width}, ${height})`,
      },
    };
  };
  const childrenOf = (path: string): ElkNode[] =>
    [...boxes.keys()].filter((each) => parentOf(each) === path && each !== path).map(shapeOf);
  const edges = arrows
    .filter(({ from, to }) => boxes.has(from) && boxes.has(to))
    .map((arrow) => ({ id: arrow.id, sources: [arrow.from], targets: [arrow.to], labels: labelsOf(arrow) }));
  const root: ElkNode = { id: 'root', layoutOptions: options, children: childrenOf(''), edges };
  return { root, boxes, arrows: new Map(arrows.map((arrow) => [arrow.id, arrow])) };
}

/** Layout of charts in a web worker, which runs the published file of the library elk. Each chart is laid out once. */

interface Answer {
  readonly id: number;
  readonly data?: ElkNode;
  readonly error?: unknown;
}
const known = new Map<string, Promise<LaidOut>>();
/** Largest number of layouts that are kept. A chart has a layout for each set of transitions that was taken. */
const mostKnown = 60;
let worker: Promise<Worker> | undefined;
let asked = 0;
const waiting = new Map<number, { resolve(data: ElkNode): void; reject(error: Error): void }>();

/** Returns the address of the worker script; a page that is one HTML file contains the text of the script. */
async function workerUrl(): Promise<string | URL> {
  const text = document.getElementById(embedded.elk)?.textContent;
  if (!text) return new URL('./elk-worker.js', document.baseURI);
  return URL.createObjectURL(new Blob([await unpacked(text)], { type: 'text/javascript' }));
}
const elk = (): Promise<Worker> => (worker ??= workerUrl().then(started));
function started(url: string | URL): Worker {
  const made = new Worker(url);
  made.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.data) asker?.resolve(data.data);
    else asker?.reject(new Error(`elk cannot lay this chart out: ${JSON.stringify(data.error)}`));
  });
  made.addEventListener('error', () => {
    for (const { reject } of waiting.values())
      reject(new Error('the worker that lays charts out does not start'));
    waiting.clear();
  });
  made.postMessage({ id: 0, cmd: 'register', algorithms: ['layered'] });
  return made;
}
export function laidOut(chart: Chart): Promise<LaidOut> {
  const found = known.get(chart.fingerprint);
  if (found) return found;
  const graph = graphOf(chart);
  const made = new Promise<ElkNode>((resolve, reject) => {
    const id = ++asked;
    waiting.set(id, { resolve, reject });
    const order = { id, cmd: 'layout', graph: graph.root, layoutOptions: {}, options: {} };
    elk().then((drawing) => drawing.postMessage(order), reject);
  }).then((drawn) => ({ ...graph, drawn }));
  known.set(chart.fingerprint, made);
  const [oldest] = known.keys();
  if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  return made;
}
