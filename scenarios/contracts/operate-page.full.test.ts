import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { compiled, linkedProject } from '../fixtures/linked-project.ts';
import { startCommand } from '../fixtures/command-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/operate.md'), 'utf8');
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
  linkedProject(here, '@types/node', '@opentelemetry');
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

const a2c = (...argv: string[]) =>
  startCommand([...argv, '--tracing'], {
    XDG_STATE_HOME: here,
    NODE_OPTIONS: `--import ${join(here, 'tracing.mjs')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  });

it('the examples of docs/operate.md compile', () => {
  const lib = ['--lib', 'es2023,esnext.disposable'];
  expect(compiled(here, ['caller.ts'], ...lib, '--types', 'node')).toBe('');
});

it('three commands send the spans of one call to a collector, as one trace', async () => {
  const office = a2c('office', '--port', '0');
  const [url] = await office.said(/^http:\S+(?=\n)/);
  const computer = a2c('computer', '--url', url, '-c', join(here, 'servers.json'), '--name', 'c1');
  await computer.said(/serves.*; Ctrl-C/);
  const call = a2c('call', 'echo', 'text=hello', '--url', url, '--req-id', 'r1');
  await call.said(/hello/);
  await call.exited;
  for (const { child, exited } of [computer, office]) {
    child.kill('SIGTERM');
    await exited;
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
