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

  it.each(charts)(
    'draws no two arrows of $kind on top of each other, and each with its event',
    ({ kind }) => {
      const arrows = textOf(`${kind}.svg`).split('<g class="edge').slice(1);
      const lines = arrows.flatMap((arrow, n) => {
        const [, path = ''] = / d="([^"]+)"/.exec(arrow) ?? [];
        const points = path
          .split(/[ML]/)
          .slice(1)
          .map((point) => point.trim().split(' ').map(Number));
        return points.slice(1).map(([x = 0, y = 0], at) => {
          const [fromX = 0, fromY = 0] = points[at] ?? [];
          return { n, x: [fromX, x].toSorted((a, b) => a - b), y: [fromY, y].toSorted((a, b) => a - b) };
        });
      });
      const shared = ([a = 0, b = 0]: number[], [c = 0, d = 0]: number[]): number =>
        Math.min(b, d) - Math.max(a, c);
      const overlaps = lines.flatMap((one, at) =>
        lines
          .slice(at + 1)
          .filter(
            (other) => one.n !== other.n && shared(one.x, other.x) >= -1 && shared(one.y, other.y) >= -1,
          )
          .filter((other) => Math.max(shared(one.x, other.x), shared(one.y, other.y)) > 2)
          .map((other) => [one, other]),
      );
      expect(overlaps).toEqual([]);
      expect(arrows.filter((arrow) => !/<tspan[^>]*>[^<]+/.test(arrow))).toEqual([]);
    },
  );

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
