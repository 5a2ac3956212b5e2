import { expect, it } from 'vitest';
import { conflictLines, listingText, logLine } from './servers.ts';

const tool = {
  ...{ name: 'x', original: 'x', server: 'A', inputSchema: {} },
};
const renamed = {
  ...{ ...tool, name: 'B_y', original: 'y', server: 'B' },
  renamed: { from: 'y', reason: "Tool 'y' exists in multiple servers: 'B', 'C'" },
};
const refused = {
  ...{ name: 'x', server: 'B', reason: "Tool 'x' exists in multiple servers: 'A', 'B'" },
  suggestion: 'Write this.',
};
it('the tools of each server stand under it, and below them one line for all names that several have', () => {
  const servers = ['A', 'B'].map((name) => ({ name, state: 'ready' as const }));
  const listing = { tools: [tool, renamed], refused: [refused], servers };
  expect(listingText(listing)).toEqual([
    'A  ready, 1 tool',
    '  x',
    'B  ready, 1 tool',
    '  B_y',
    'several servers have x, y: call SERVER.TOOL; "a2c": {"onConflict": "prefix"} in the config gives each a name of its own',
  ]);
  expect(conflictLines(listing)).toEqual([
    "refused: x of B: Tool 'x' exists in multiple servers: 'A', 'B'. Write this.",
    `renamed: y of B is B_y: Tool 'y' exists in multiple servers: 'B', 'C'. Another name is given in the config of 'B': "tool_meta": {"y": {"alias": "…"}}`,
  ]);
});

it('a line of output is shown with the time of day at which it came, and where it came from', () => {
  const line = { at: '2026-03-04T05:06:07.890Z', from: 'stderr', text: 'listening' } as const;
  expect(logLine(line)).toBe('05:06:07 stderr  listening');
  expect(logLine({ ...line, from: 'log', level: 'warning' })).toBe('05:06:07 warning listening');
});
