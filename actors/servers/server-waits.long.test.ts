import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { listening } from '../../scenarios/fixtures/local-server.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import type { CommandContext } from '../cli/context.ts';
import { createComputer } from '../api/computer.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { ServerStatus } from './server-handle.ts';
import { Runtime } from '../api/runtime.ts';

/** Tests of real servers that never finish their handshake. */
const computers: { close(): Promise<void>; readonly computer: Computer }[] = [];
afterEach(async () => void (await Promise.all(computers.splice(0).map((one) => one.close()))));

const node = (program: string) => ({ command: process.execPath, args: ['-e', program] });
const lives = 'process.stdin.resume();';
const banner = 'Server starting on stdin/out';

/** Resolves with the first server status whose reason matches; every trace record triggers a check. */
async function reached(server: object, reason: RegExp, timing: object = {}): Promise<ServerStatus> {
  const runtime = new Runtime({ stateDir: false });
  const options = { config: { mcpServers: { slow: server } }, timing: { bootMs: 1, ...timing } };
  const computer = await createComputer({ ...options, stateDir: false }, { runtime });
  computers.push({ close: () => computer.close().then(() => runtime.close()), computer });
  return new Promise((resolve) => {
    const look = (): void => {
      const status = computer.status().servers[0];
      if (status && reason.test(status.reason ?? '')) resolve(status);
    };
    // A trace record is written during a transition, so the check waits until the transition is over.
    runtime.directory.tap.add({ record: () => setImmediate(look) });
    look();
  });
}

describe('a server that is connecting', () => {
  it('says that it is silent', async () => {
    const said =
      /^its program was started; waits for the answer to initialize for \d+ s; nothing came on stdout; this try ends after \d+ s$/;
    const status = await reached(node(lives), said);
    expect(status).toMatchObject({ state: 'connecting', waits: { for: 'initialize', came: '' } });
    expect(Date.parse(status.waits?.since ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('says which lines came that are no messages, the last one in words', async () => {
    const program = `${lives} console.log('a\\nb\\nServer listening');`;
    const status = await reached(node(program), /\(3\)/);
    expect(status.reason).toContain(
      'stdout had lines that are no messages (3), the last: "Server listening"',
    );
  });

  it('says that a line has no end', async () => {
    const status = await reached(node(`${lives} process.stdout.write('${banner}');`), /without a line end/);
    expect(status.waits?.came).toBe(`stdout had ${banner.length} bytes without a line end`);
  });

  it('says no secret that it was given, and not more than a line of it', async () => {
    const program = `${lives} console.log(process.env.TOKEN + 'x'.repeat(5000));`;
    const status = await reached({ ...node(program), env: { TOKEN: 'hunter2-hunter2' } }, /\(1\)/);
    expect(status.reason).not.toContain('hunter2');
    expect(status.reason?.length).toBeLessThan(400);
  });

  it('says that the headers of a response do not come', async () => {
    // The client closes the sockets of this listener when it ends.
    const listener = createServer((socket) => socket.resume());
    const status = await reached(
      { url: await listening(listener) },
      /^waits for the headers of the response for \d+ s; nothing came; this try ends after \d+ s$/,
    );
    expect(status).toMatchObject({ state: 'connecting', waits: { for: 'headers' } });
    listener.close();
  });

  it('says that a person has not given a value yet', async () => {
    const computer = await createComputer({
      config: {
        mcpServers: { slow: { ...node(lives), env: { KEY: '${input:key}' } } },
        inputs: [{ id: 'key', type: 'promptString', description: 'key' }],
      },
      input: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('withdrawn')));
        }),
      timing: { bootMs: 1 },
      stateDir: false,
    });
    computers.push({ close: () => computer.close(), computer });
    expect(computer.status().servers[0]).toMatchObject({
      ...{ state: 'connecting', waits: { for: 'values' } },
      reason: expect.stringMatching(/^waits for the values of its inputs for \d+ s$/) as string,
    });
  });
});

describe('what a server waited for', () => {
  it('is in the failure of a time-out', async () => {
    const server = { ...node(`${lives} process.stdout.write('${banner}');`), restart: false };
    const { failure } = await reached(server, /no answer to initialize within/, { connectMs: 5_000 });
    expect(failure?.message).toBe(
      `Server 'slow': no answer to initialize within 5000 ms: stdout had ${banner.length} bytes without a line end`,
    );
  });

  it('is in the failure of a call that waited for it', async () => {
    const status = await reached(node(`${lives} console.log('Server listening');`), /\(1\)/);
    expect(status.state).toBe('connecting');
    const outcome = await computers[0]?.computer.callTool('echo', {}, { timeoutMs: 10 });
    expect(outcome?.failure).toMatchObject({
      code: 'ServerNotActive',
      message: expect.stringContaining(
        'stdout had lines that are no messages (1), the last: "Server listening"',
      ) as string,
      details: { state: 'connecting', waits: [{ server: 'slow', for: 'initialize' }] },
    });
  });

  it('is told at a terminal while one waits', async () => {
    const file = join(testFolder('waits'), 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { slow: node(lives) } }));
    const over = new AbortController();
    const nothing = (): void => {};
    const terminal = {
      ...{ out: nothing, err: nothing, outText: nothing, errText: nothing, line: nothing },
      ...{ isWatched: true, isRead: true },
      meter: (text: string | null) =>
        void (text?.endsWith('; nothing came on stdout; this try ends after 300 s') && over.abort()),
    } as unknown as CommandContext['terminal'];
    // The command ends only when the meter shows the expected words, which abort it.
    await commandLine(['tools', '-c', file], { terminal, signal: over.signal });
    expect(over.signal.aborted).toBe(true);
  });
});
