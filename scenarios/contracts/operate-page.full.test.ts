import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/operate.md'), 'utf8');
const main = join(root, 'dist/actors/main.js');
const server = join(root, 'scenarios/fixtures/mcp-server.mjs');
const here = testFolder('operate-page');
const running: ChildProcess[] = [];
let collector: Server;
interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}
const sent: Sent[] = [];
interface Exported {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[] }[];
}

beforeAll(async () => {
  mkdirSync(join(here, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', '@opentelemetry'])
    symlinkSync(join(root, 'node_modules', name), join(here, 'node_modules', name), 'dir');
  symlinkSync(root, join(here, 'node_modules/a2c-actors'), 'dir');
  writeFileSync(join(here, 'package.json'), JSON.stringify({ type: 'module' }));
  const files = [...page.matchAll(/^<!-- (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm)];
  expect(files.map(([, name]) => name)).toEqual(['tracing.mjs', 'caller.ts']);
  for (const [, name = '', text = ''] of files) writeFileSync(join(here, name), text);
  const config = {
    mcpServers: { fixture: { command: process.execPath, args: [server], autoApprove: ['all'] } },
  };
  writeFileSync(join(here, 'servers.json'), JSON.stringify(config));
  collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(body) as Exported;
      for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) sent.push(...spans);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  collector.close();
});

/** `first`: the first line of stdout. */
function a2c(...argv: string[]) {
  const child = spawn(process.execPath, [main, ...argv, '--tracing'], {
    cwd: here,
    env: {
      ...process.env,
      XDG_STATE_HOME: here,
      NODE_OPTIONS: `--import ${join(here, 'tracing.mjs')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  const over = once(child, 'close');
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = lines.find((one) => pattern.test(one));
        if (line !== undefined) resolve(line);
      };
      waiting.add(look);
      look();
      void over.then(() => reject(new Error(`it ended without ${pattern}:\n${lines.join('\n')}`)));
    });
  return { child, over, said };
}

it('the examples of docs/operate.md compile', () => {
  const options =
    '--strict --module nodenext --target es2023 --lib es2023,esnext.disposable --types node --skipLibCheck --noEmit';
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout, status } = spawnSync(tsc, [...options.split(' '), 'caller.ts'], {
    cwd: here,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, '']);
});

it('three commands send the spans of one call to a collector, as one trace', async () => {
  const office = a2c('office', '--port', '0');
  const url = await office.said(/^http:/);
  const computer = a2c('computer', '--url', url, '-c', 'servers.json', '--name', 'c1');
  await computer.said(/serves.*; Ctrl-C/);
  const call = a2c('call', 'echo', 'text=hello', '--url', url, '--req-id', 'r1');
  await call.said(/hello/);
  await call.over;
  for (const { child, over } of [computer, office]) {
    child.kill('SIGTERM');
    await over;
  }
  const textOf = ({ attributes }: Sent, name: string): string | undefined =>
    attributes.find(({ key }) => key === name)?.value.stringValue;
  const ofCall = sent.filter((span) => textOf(span, 'a2c.req_id') === 'r1');
  const chain = ['agent', 'office', 'computer', 'server'].map((layer) =>
    ofCall.find((span) => textOf(span, 'a2c.layer') === layer),
  );
  expect([ofCall.length, chain.map((span) => span?.name)]).toEqual([
    4,
    [...Array<string>(3).fill('client:tool_call echo'), 'tools/call echo'],
  ]);
  expect(new Set(ofCall.map(({ traceId }) => traceId)).size).toBe(1);
  expect(chain.slice(1).map((span) => span?.parentSpanId)).toEqual(
    chain.slice(0, 3).map((span) => span?.spanId),
  );
});
