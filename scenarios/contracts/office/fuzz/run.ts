/** Program of `node --import tsx scenarios/contracts/office/fuzz/run.ts -- EVENTS SEED`: runs the fuzz for as long as wanted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzz } from './fuzz.ts';

const [count = 1_000_000, seed = 1] = process.argv.slice(2).map(Number);
const stateDir = mkdtempSync(join(tmpdir(), 'a2c-fuzz-'));
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
let shown = 0;
const progress = (done: number): void => {
  if (done - shown < count / 20) return;
  shown = done;
  process.stderr.write(`${done} of ${count}\n`);
};
try {
  const { sent, answered, crossed, bytes, exitCode } = await fuzz({ seed, count, stateDir, progress });
  const [early, late] = bytes.map(mebibytes);
  process.stdout.write(
    `${sent} sent from seed ${seed}, ${answered} events answered, ${crossed.length} heard elsewhere, ` +
      `resident memory ${early} after a tenth and ${late} at the end, exit code ${exitCode}\n`,
  );
  for (const one of crossed) process.stdout.write(`heard elsewhere: ${one}\n`);
  process.exitCode = crossed.length === 0 && exitCode === 143 ? 0 : 1;
} finally {
  rmSync(stateDir, { recursive: true });
}
