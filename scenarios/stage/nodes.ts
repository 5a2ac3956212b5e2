import type { Harness } from './harness.ts';

export const nodeKind = (n: number): string => (n === 1 ? 'office' : `office${n}`);
export const nodeUrl = (n: number): string => `http://127.0.0.1:${41_000 + n}`;
export async function startNode(s: Harness, n: number): Promise<string> {
  s.start('office', { host: '127.0.0.1', port: 41_000 + n, isShared: true }, { as: nodeKind(n) });
  await s.run(10);
  return nodeUrl(n);
}
