import { expect, it } from 'vitest';
import type { Computer } from '../../api/computer/computer-handle.ts';
import { conflictLines, listingText } from './answers.ts';
import { Prompt } from '../prompt.ts';
import type { Context } from '../context.ts';

const tool = {
  ...{ description: 'None', params_schema: {}, return_schema: null, meta: {} },
  ...{ name: 'x', original: 'x', server: 'A' },
};
const renamed = {
  ...{ ...tool, name: 'B_y', original: 'y', server: 'B' },
  renamed: { from: 'y', reason: "Tool 'y' exists in multiple servers: 'B', 'C'" },
};
const refused = {
  ...{ name: 'x', server: 'B', reason: "Tool 'x' exists in multiple servers: 'A', 'B'" },
  suggestion: 'Write this.',
};
const lines = [
  "refused: x of B: Tool 'x' exists in multiple servers: 'A', 'B'. Write this.",
  `renamed: y of B is B_y: Tool 'y' exists in multiple servers: 'B', 'C'. Another name is given in the config of 'B': "tool_meta": {"y": {"alias": "…"}}`,
];

it('a tool that was refused or renamed is shown with the reason and what to write, below the tools', () => {
  const listing = { tools: [tool, renamed], refused: [refused], servers: [] };
  expect(listingText(listing)).toEqual(['x     A       None', 'B_y   B       None', ...lines]);
  expect(conflictLines(listing)).toEqual(lines);
});

it.each([
  ['those alone', [refused], lines],
  ['that there are none', [], ['no conflicts']],
])('tools conflicts at the prompt shows %s', async (_, some, shown) => {
  const said: string[] = [];
  const terminal = {
    prompt: (_text: string, take: (line: string) => Promise<unknown>) => take('tools conflicts'),
    out: (text: string) => said.push(text),
    close: () => {},
  };
  const context = { terminal, signal: new AbortController().signal } as unknown as Context;
  const tools = some.length > 0 ? [tool, renamed] : [tool];
  const computer = { tools: async () => ({ tools, refused: some, servers: [] }) } as unknown as Computer;
  await new Prompt(context, computer, { officeLine: '', folder: '', tree: () => [] }).run();
  expect(said).toEqual(shown);
});
