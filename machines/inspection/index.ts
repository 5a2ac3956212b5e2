export {
  chartSchema,
  chartsSchema,
  type Chart,
  type ChartNode,
  type Charts,
  type ChartTransition,
} from './charts.ts';
export type { CheckedDifference, CheckedInvariant, Checks } from './checks.ts';
export {
  fromPageSchema,
  hostFactsSchema,
  toPageSchema,
  type FromPage,
  type HostFacts,
  type InspectorAsk,
  type InspectorControl,
  type ToPage,
  type Welcome,
} from './messages.ts';
export { attachPath, embedded, inspectionProtocol, subprotocol, tokenSubprotocol } from './wire.ts';
