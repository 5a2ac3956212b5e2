/** A process of its own with little memory, so that a memory leak ends it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { offices, witnessed } from './fuzz-events.ts';

const main = fileURLToPath(new URL('../../../../dist/actors/main.js', import.meta.url));
/** Enough for an office with a few peers; soon exhausted by one that keeps everything it receives. */
const heapMebibytes = 96;
/** The fuzz does not test limits of frequency. */
const unlimited = ['events', 'eventsPerSocket', 'eventsPerOffice', 'joinsPerSocket', 'joinsPerOffice'];

export const credentials = {
  sender: { token: 'sender', offices: offices.filter((id) => id !== witnessed.office && id !== '') },
  witness: { token: 'witness', offices: [witnessed.office] },
} as const;
export interface FuzzedOffice {
  readonly url: string;
  readonly port: number;
  /** With the last output of the process; undefined while it runs. */
  death(): string | undefined;
  measured(series: string): Promise<number>;
  close(): Promise<number | null>;
}
export async function openFuzzedOffice(stateDir: string): Promise<FuzzedOffice> {
  const tokens = join(stateDir, 'tokens.json');
  writeFileSync(tokens, JSON.stringify({ tokens: Object.values(credentials) }));
  const limits = unlimited.flatMap((name) => ['--limit', `${name}=0`]);
  const child: ChildProcess = spawn(
    process.execPath,
    [
      ...[`--max-old-space-size=${heapMebibytes}`, main, 'office', '--tokens', tokens, '--port', '0'],
      ...['--metrics', '0', '--drain', '0', ...limits],
    ],
    { env: { ...process.env, XDG_STATE_HOME: stateDir }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  let ended: string | undefined;
  const over = new Promise<number | null>((resolve) =>
    child.once('exit', (code, signal) => {
      ended = `the office ended with ${code ?? signal}: ${said.slice(-2_000)}`;
      resolve(code);
    }),
  );
  const told = new Promise<readonly [url: string, metrics: string]>((resolve, reject) => {
    let out = '';
    const look = (): void => {
      const metrics = /metrics at (\S+)/.exec(said)?.[1];
      if (out.includes('\n') && metrics !== undefined) resolve([out.trim(), metrics]);
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      look();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
      look();
    });
    child.once('exit', () => reject(new Error(ended)));
  });
  const [url, metrics] = await told;
  return {
    url,
    port: Number(new URL(url).port),
    death: () => ended,
    measured: async (series) => {
      const body = await (await fetch(metrics)).text();
      const line = body.split('\n').find((one) => one.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    },
    close: () => {
      child.kill('SIGTERM');
      return over;
    },
  };
}
