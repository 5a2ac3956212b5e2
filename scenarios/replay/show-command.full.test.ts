import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { main } from '../fixtures/checkout.ts';

const heapMb = 64;

it('a trace far larger than the memory of the command becomes one HTML file', async () => {
  const folder = testFolder('show-long');
  const [file, html] = [join(folder, 'large.trace.ndjson'), join(folder, 'large.html')];
  const about = { format: 'a2c-trace/2', runtime: '0', xstate: '5', node: 'v20', profile: 'full' };
  const head = { ...about, clock: 'virtual', started: null, next: 1, redaction: { keyId: null } };
  const out = createWriteStream(file);
  out.write(`${JSON.stringify({ s: 0, t: 0, k: 'head', ...head })}\n`);
  for (let s = 1; s <= 600; s += 1) {
    const what = `${s} a letter that a server writes `.repeat(8_000);
    const line = JSON.stringify({ s, t: s, w: s, a: 'x', ch: 'defect', k: 'defect', what });
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  expect(statSync(file).size).toBeGreaterThan(2 * heapMb * 1024 * 1024);
  const args = [`--max-old-space-size=${heapMb}`, main, 'show', file, '--html', html];
  expect(await promisify(execFile)(process.execPath, args)).toMatchObject({ stdout: `${html}\n` });
  expect(statSync(html).size).toBeLessThan(4_000_000);
});
