import type { ElkExtendedEdge, ElkNode, ElkPoint } from 'elkjs/lib/elk-api.js';
import type { VNode } from 'preact';
import { visible } from '../values.ts';
import { labelHeight, lineHeight, linesOf, type Arrow, type LaidOut } from './graph.ts';

/** Statechart drawn as SVG, with active states, the last transitions, and counts of transitions. */

export interface Lit {
  readonly active: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
  /** Number of times each state transition was taken, by the id of the transition. */
  readonly counts: ReadonlyMap<string, number>;
  /** Position of each of the latest transitions in the order of the machine's steps, by the id of the transition. */
  readonly order: ReadonlyMap<string, number>;
}
const sumOf = (arrow: Arrow, counts: Lit['counts']): number =>
  arrow.transitions.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0);

/** Distance in px from the beginning of an arrow to the step number drawn on it; no label is there. */
const placeAt = 11;
/** Returns the point for the step number on an arrow: shortly after the beginning of the arrow. */
function placeOf([one = { x: 0, y: 0 }, other = one]: readonly ElkPoint[]): ElkPoint {
  const length = Math.abs(other.x - one.x) + Math.abs(other.y - one.y);
  const share = length === 0 ? 0 : Math.min(0.5, placeAt / length);
  return { x: one.x + (other.x - one.x) * share, y: one.y + (other.y - one.y) * share };
}
function Edge({ edge, arrow, lit }: { edge: ElkExtendedEdge; arrow: Arrow; lit: Lit }): VNode {
  const [section] = edge.sections ?? [];
  const count = sumOf(arrow, lit.counts);
  const taken = arrow.transitions.find(({ id }) => lit.taken.has(id));
  const points = section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [];
  const names = arrow.transitions.map(({ id }) => visible(id)).join('\n');
  const [label] = edge.labels ?? [];
  const lines = linesOf(arrow);
  const places = arrow.transitions.flatMap(({ id }) => lit.order.get(id) ?? []);
  const place = placeOf(points);
  return (
    <g class={`edge${taken ? ' taken' : ''}${count > 0 ? ' visited' : ''}`} data-edge={arrow.id}>
      <title>{`${names}\ntaken ${count} times`}</title>
      <path
        d={points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(' ')}
        marker-end={taken ? 'url(#head-taken)' : 'url(#head)'}
      />
      {label && (
        <text>
          {lines.map((line, at) => (
            <tspan key={line} x={(label.x ?? 0) + 3} y={(label.y ?? 0) + 11 + at * labelHeight}>
              {line}
              {at === lines.length - 1 && count > 1 ? ` ×${count}` : ''}
            </tspan>
          ))}
        </text>
      )}
      {places.length > 0 && (
        <g class="place">
          <circle cx={place.x} cy={place.y} r={9} />
          <text x={place.x} y={place.y + 4}>
            {Math.max(...places)}
          </text>
        </g>
      )}
    </g>
  );
}
function Node({ shape, chart, lit }: { shape: ElkNode; chart: LaidOut; lit: Lit }): VNode | null {
  const box = chart.boxes.get(shape.id);
  if (!box) return null;
  const { x = 0, y = 0, width = 0, height = 0 } = shape;
  const { node, name, lines, isInner } = box;
  const isActive = lit.active.has(node.path);
  const visits = [...chart.arrows.values()]
    .filter(({ to }) => to === node.path)
    .reduce((sum, arrow) => sum + sumOf(arrow, lit.counts), 0);
  const kind = `${isInner ? ' outer' : ''}${node.type === 'final' ? ' final' : ''}${node.path === '(any)' ? ' any' : ''}`;
  const told = [
    node.path,
    isActive ? 'active' : '',
    node.tags.length > 0 ? `tags: ${node.tags.join(', ')}` : '',
    node.entry.length > 0 ? `on entry: ${node.entry.join(', ')}` : '',
    node.exit.length > 0 ? `on exit: ${node.exit.join(', ')}` : '',
    `entered ${visits} times by an arrow`,
  ];
  return (
    <g
      class={`state${isActive ? ' active' : ''}${kind}`}
      data-state={node.path}
      aria-current={isActive ? 'true' : undefined}
    >
      <title>{told.filter((text) => text !== '').join('\n')}</title>
      <rect x={x} y={y} width={width} height={height} rx={node.path === '(any)' ? 12 : 5} />
      {node.type === 'final' && (
        <rect class="inset" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={3} />
      )}
      <text class="name" x={x + 10} y={y + 17}>
        {isActive ? '▶ ' : ''}
        {name}
        {visits > 0 ? ` ×${visits}` : ''}
      </text>
      {lines.map((line, at) => (
        <text key={line} class="does" x={x + 10} y={y + 32 + at * lineHeight}>
          {line}
        </text>
      ))}
      {shape.children?.map((child) => (
        <Node key={child.id} shape={child} chart={chart} lit={lit} />
      ))}
    </g>
  );
}
const edgesIn = (node: ElkNode): ElkExtendedEdge[] => [
  ...(node.edges ?? []),
  ...(node.children ?? []).flatMap(edgesIn),
];
export function ChartDrawing({ chart, lit }: { chart: LaidOut; lit: Lit }): VNode {
  return (
    <>
      <defs>
        {['head', 'head-taken'].map((id) => (
          <marker
            key={id}
            id={id}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0 L8 4 L0 8 z" />
          </marker>
        ))}
      </defs>
      {chart.drawn.children?.map((child) => (
        <Node key={child.id} shape={child} chart={chart} lit={lit} />
      ))}
      {edgesIn(chart.drawn).map((edge) => {
        const arrow = chart.arrows.get(edge.id);
        return arrow && <Edge key={edge.id} edge={edge} arrow={arrow} lit={lit} />;
      })}
    </>
  );
}
