/** `npm run record` makes all recordings, `npm run record -- minute` one; they are never edited. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { randomOf } from '../stage/virtual-clock.ts';
import { stories, type Story } from './stories.ts';
import { World } from './world.ts';

const here = new URL('.', import.meta.url);

async function record(name: string, { servers, act, title }: Story, seed: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'a2c-record-'));
  try {
    {
      await using world = await World.open({ dir, profile: 'boundary', servers: servers(dir) });
      await act(world, randomOf(seed), wait);
    }
    const [file = ''] = readdirSync(dir).filter((each) => each.endsWith('.trace.ndjson'));
    const text = readFileSync(join(dir, file), 'utf8');
    const zipped = gzipSync(text, { level: 9 });
    writeFileSync(new URL(`${name}.trace.ndjson.gz`, here), zipped);
    const kb = (bytes: number): string => `${Math.round(bytes / 1024)} KB`;
    process.stdout.write(
      `${name}: ${title}: ${text.split('\n').length - 1} lines, ${kb(text.length)}, ${kb(zipped.length)} packed\n`,
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const [, , ...wanted] = process.argv;
const unknown = wanted.filter((name) => !stories[name]);
if (unknown.length > 0) {
  process.stderr.write(`no recording ${unknown.join(', ')}; there are ${Object.keys(stories).join(', ')}\n`);
  process.exitCode = 64;
} else
  for (const [name, story] of Object.entries(stories))
    if (wanted.length === 0 || wanted.includes(name)) await record(name, story, 1);
