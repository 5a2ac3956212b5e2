import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisServer } from '../../fixtures/redis.ts';
import { startSide, type Side } from '../lines.ts';
import { pairs, ratio } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

const mebibyte = 1024 * 1024;
const officeScript = 'office-process.js';
const peerScript = 'blob-process.js';
type Way = 'down' | 'up';

/** Writes a file of this size as one of a skill. */
function fill(folder: string, bytes: number): void {
  const skill = join(folder, 'skills', 'big');
  mkdirSync(skill, { recursive: true });
  mkdirSync(join(folder, 'landed'));
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: big\ndescription: A large file\n---\n');
  const file = openSync(join(skill, 'model.bin'), 'w');
  for (let left = bytes; left > 0; left -= mebibyte) writeSync(file, randomBytes(Math.min(left, mebibyte)));
  closeSync(file);
}
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part as Buffer);
  return hash.digest('hex');
}
/** Checks what has landed, and removes it. */
async function emptied(folder: string, sha256: string): Promise<void> {
  const landed = join(folder, 'landed');
  const names = readdirSync(landed).filter((name) => !name.startsWith('.'));
  for (const name of names) {
    const found = await hashOf(join(landed, name));
    rmSync(join(landed, name));
    if (found !== sha256) throw new Error(`${name} is not the file that was sent`);
  }
  if (names.length !== 1) throw new Error(`${names.length} files have landed`);
}

/** Measures a large file down and up through two nodes, beside a loop of parts of the same size over a bare relay. */
export const measureBlobs: Row['measure'] = async ({ isQuick }, tell) => {
  const [mb, rounds] = isQuick ? [8, 1] : [256, 3];
  const folder = mkdtempSync(join(tmpdir(), 'a2c-bench-blobs-'));
  fill(folder, mb * mebibyte);
  const sha256 = await hashOf(join(folder, 'skills', 'big', 'model.bin'));
  const redis = await RedisServer.start();
  const [near, far] = [
    await startSide(officeScript, ['ours', redis.url]),
    await startSide(officeScript, ['ours', redis.url]),
  ];
  const relay = await startSide(officeScript, ['bare']);
  const computer = await startSide(peerScript, ['ours', 'computer', far.url, folder]);
  const agent = await startSide(peerScript, ['ours', 'agent', near.url, folder]);
  const bareComputer = await startSide(peerScript, ['bare', 'computer', relay.url, folder]);
  const bareAgent = await startSide(peerScript, ['bare', 'agent', relay.url, folder]);
  const sides: Readonly<Record<string, Side>> = {
    agent,
    'node of the agent': near,
    'node of the computer': far,
    computer,
  };
  const peaks = (): Promise<number[]> =>
    Promise.all(Object.values(sides).map(async (side) => (await side.ask()).peak / mebibyte));
  const idle = await Promise.all(Object.values(sides).map(async (side) => (await side.ask()).rss / mebibyte));
  const move = async (by: Side, way: Way): Promise<number> => {
    const { ms = Number.NaN, bytes } = await by.ask(way);
    if (way === 'up') await emptied(folder, sha256);
    else if (bytes !== mb * mebibyte) throw new Error(`${bytes} bytes came of ${mb * mebibyte}`);
    return ms / 1_000;
  };
  for (const way of ['down', 'up'] as const) {
    const found = await pairs(
      rounds,
      () => move(bareAgent, way),
      () => move(agent, way),
    );
    tell(ratio(`${mb} MB ${way} through two nodes, time`, found, 's', atMost(1.5)));
    for (const [at, peak] of (await peaks()).entries()) {
      const values = [peak - (idle[at] ?? Number.NaN)];
      const what = `memory above idle, ${way}, ${Object.keys(sides)[at]}`;
      tell({ what, unit: 'MB', values, aim: atMost(100) });
    }
  }
  for (const side of [bareAgent, bareComputer, relay, agent, computer, near, far]) await side.close();
  await redis.kill();
  rmSync(folder, { recursive: true, force: true });
};
