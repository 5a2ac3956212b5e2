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
      "696a7f09965c7dbbb82e3aca36bfddc2b9201c7f573e3d09dfd62b1a8f86201f",
      "d1690cb96d7fdd00ed5a61e7842c7670a716624aa921c52891d361e2fb29b4bb",
    ]
  `);
});
