export {
  chartSchema,
  chartsSchema,
  type Chart,
  type ChartNode,
  type Charts,
  type ChartTransition,
} from './charts.ts';
export {
  attachPath,
  embedded,
  fromPageSchema,
  hostFactsSchema,
  inspectionProtocol,
  subprotocol,
  tokenSubprotocol,
  toPageSchema,
  type FromPage,
  type HostFacts,
  type InspectorAsk,
  type InspectorControl,
  type ToPage,
  type Welcome,
} from './messages.ts';
