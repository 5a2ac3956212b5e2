import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { charts, folder, indexPage, markOf, pageOf } from './charts.ts';

/** Checks that the drawings in docs/machines show the current machines; `npm run draw` makes them. */
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('docs/machines', () => {
  it('has each machine, and none that is gone', () => {
    const names = charts.flatMap(({ kind }) => [`${kind}.md`, `${kind}.svg`]);
    expect(readdirSync(folder).toSorted()).toEqual([...names, 'README.md'].toSorted());
    expect(textOf('README.md')).toBe(indexPage);
  });

  it.each(charts)('has $kind as it is', (chart) => {
    expect(textOf(`${chart.kind}.md`)).toBe(pageOf(chart));
    const svg = textOf(`${chart.kind}.svg`);
    expect(svg.split('\n')[0]).toBe(markOf(chart));
    const drawn = [...svg.matchAll(/data-state="([^"]+)"/g)].map(([, path]) => path);
    const states = chart.nodes.map(({ path }) => path).filter((path) => path !== '(any)');
    expect(states.filter((path) => !drawn.includes(path))).toEqual([]);
  });

  it('leads from states to states that it names', () => {
    for (const chart of charts) {
      const lines = pageOf(chart).split('\n');
      const named = new Set(lines.flatMap((line) => / as (\w+)/.exec(line)?.[1] ?? []));
      const ends = lines.flatMap((line) => {
        const [, from, to] = /^ +(\S+) --> ([^\s:]+)/.exec(line) ?? [];
        return [from, to].filter((end) => end !== undefined && end !== '[*]');
      });
      expect(ends.filter((end) => !named.has(end as string))).toEqual([]);
    }
  });
});
