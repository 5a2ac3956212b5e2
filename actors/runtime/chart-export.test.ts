import { describe, expect, it } from 'vitest';
import { chartSchema } from '../../machines/trace/chart.ts';
import { machines } from '../kinds/all.ts';
import { chartOf, statesOf, transitionsOf } from './charts.ts';

const charts = Object.entries(machines).map(([kind, machine]) => ({
  kind,
  machine,
  chart: chartOf(kind, machine, (text) => String(text.length)),
}));

describe('a chart as data', () => {
  it.each(charts)('names for $kind every state and every transition as traces do', ({ machine, chart }) => {
    expect(chartSchema.parse(chart)).toEqual(chart);
    expect(chart.nodes.map(({ path }) => path)).toEqual(['(any)', ...statesOf(machine)]);
    expect(chart.transitions.map(({ id }) => id)).toEqual(transitionsOf(machine));
  });

  it.each(charts)('leads for $kind from states to states that it has', ({ chart }) => {
    const paths = new Set(chart.nodes.map(({ path }) => path));
    const named = chart.transitions.flatMap(({ from, to }) => [from, ...to]);
    const initial = chart.nodes.flatMap((node) => node.initial);
    expect([...named, ...initial].filter((path) => !paths.has(path))).toEqual([]);
  });

  it('tells what people look for: delays, guards, tags and ports by name', () => {
    const connection = charts.find(({ kind }) => kind === 'connection')?.chart;
    const delays = connection?.transitions.flatMap(({ delay = [] }) => delay);
    expect(delays).toEqual(expect.arrayContaining(['connectTimeout', 'exitGrace']));
    expect(connection?.transitions.some(({ guard }) => guard !== undefined)).toBe(true);
    expect(connection?.nodes.some(({ tags }) => tags.includes('ready'))).toBe(true);
    expect(connection?.nodes.flatMap(({ invoke }) => invoke.map(({ src }) => src))).toContain('session');
  });
});
