import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const file = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}
/** The relay before it adds the token, since the suite cannot send one. */
export async function served(): Promise<Served> {
  const stateDir = mkdtempSync(join(tmpdir(), 'a2c-conformance-state-'));
  const server = [process.execPath, file('scenarios/contracts/conformance/server.mjs')];
  const serving = spawn(
    process.execPath,
    [file('dist/actors/main.js'), 'serve', '--http', '0', '--no-inspect', '--', ...server],
    { env: { ...process.env, XDG_STATE_HOME: stateDir }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const over = once(serving, 'exit');
  const entry = await new Promise<{ url: string; headers: object }>((resolve, reject) => {
    createInterface(serving.stderr).on('line', (line) => {
      if (line.startsWith('{"mcpServers"'))
        resolve((JSON.parse(line) as { mcpServers: { a2c: never } }).mcpServers.a2c);
    });
    void over.then(() => reject(new Error('a2c serve has ended')));
  });
  const relay = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const onward = ask(
      new URL(url, entry.url),
      { method, headers: { ...headers, ...entry.headers } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/mcp`,
    close: async () => {
      relay.closeAllConnections();
      relay.close();
      serving.kill();
      await over;
      rmSync(stateDir, { recursive: true });
    },
  };
}
