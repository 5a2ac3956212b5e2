import { expect, test } from 'vitest';
import { parseConfig } from '../../machines/config/parse.ts';
import { fingerprintOf } from './plan.ts';

const printed = (config: object): readonly string[] => {
  const parsed = parseConfig(config);
  return parsed.ok ? parsed.config.servers.map(fingerprintOf) : expect.unreachable();
};

test('a fingerprint is 64 hex digits, the same for the same launch config under any name', () => {
  const [first, second, third] = printed({
    mcpServers: {
      a: { command: 'x', args: ['a', 'bc'], env: { A: '1', B: '2' } },
      b: { command: 'x', args: ['a', 'bc'], env: { B: '2', A: '1' }, disabled: true },
      c: { command: 'x', args: ['ab', 'c'], env: { A: '1', B: '2' } },
    },
  });
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('a fingerprint is pinned: files are named by it, and the next version has to find them', () => {
  const facts = { command: 'x', args: ['é', ''], env: { A: 'b=c\n' }, cwd: '/' };
  expect(printed({ mcpServers: { a: facts, b: { url: 'https://h/mcp', headers: { A: 'b' } } } }))
    .toMatchInlineSnapshot(`
      [
        "05b9a68f551d7a7b149e3ef32d89c12cd4e9478f1cbb32f4abc299811a2aebdd",
        "ddb08316cf6f4a34bf37aa9505b8f9a1b21480b63241c01924277a62d65f47f4",
      ]
    `);
});
