import { io } from 'socket.io-client';
import { describe, expect, it } from 'vitest';
import { commandLine, documentIn, type CommandOutput } from '../../scenarios/fixtures/command-line.ts';
import { startHttpServer } from '../../scenarios/fixtures/http-server.ts';
import { createOffice } from '../api/office.ts';
import { configFiles, fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c call` and `a2c tools` with servers that misbehave and with people who press Ctrl-C. */
const fixture = fixtureFile('mcp-server.mjs');
const folder = testFolder('one-shot');
const fileOf = configFiles(folder);
const server = { command: process.execPath, args: [fixture] };

describe('a2c call', () => {
  it('shows the whole of a result that is cut elsewhere: nobody can ask for it later', async () => {
    const big = ['call', 'big', '{"bytes":5000}', '-c', fileOf({ server }, { resultBytes: 2_000 })];
    const { code, out, err } = await commandLine(big);
    expect({ code, out, err }).toEqual({ code: 0, out: `${'x'.repeat(5_000)}\n`, err: '' });
    expect(documentIn(await commandLine([...big, '--json']))).toMatchObject({
      outcome: 'succeeded',
      result: { content: [{ type: 'text', text: 'x'.repeat(5_000) }] },
    });
  });

  it.each([[[]], [['--json']]])(
    'names the servers that are not there for a tool that no server has, and what the shell offers %j',
    async (how) => {
      const config = fileOf({ server, gone: { command: 'no-such-command' } });
      const told = await commandLine(['call', 'no_such_tool', ...how, '-c', config]);
      expect(told.code).toBe(2);
      expect(told.err).toMatch(/^server gone gave up: .*no-such-command/m);
      const { failure } = how.length > 0 ? (documentIn(told) as { failure: unknown }) : {};
      if (failure)
        expect(failure).toMatchObject({
          code: 'ToolNotFound',
          remedy: `List the tools: a2c tools -c ${config}`,
        });
      else expect(told.err).toContain(`  List the tools: a2c tools -c ${config}\n`);
    },
  );

  it('says how to quote parameters that the shell has torn', async () => {
    const { code, err } = await commandLine(['call', 'echo', '{text:', '-c', 'no-such-file.json']);
    expect(code).toBe(64);
    expect(err).toContain(`in quotes: '{"path": "README.md"}'`);
  });
});

/** Runs a command and interrupts it when the server receives a request of this method. */
async function interruptedAt(
  method: string,
  behaviour: string,
  argv: readonly string[],
): Promise<CommandOutput> {
  const aborter = new AbortController();
  const remote = await startHttpServer({
    kind: 'streamable',
    instead: ({ body }) => {
      if (body?.['method'] === method) aborter.abort();
      return false;
    },
  });
  const config = fileOf({ s: { url: `${remote.url}/${behaviour}` } });
  const told = await commandLine([...argv, '-c', config], { signal: aborter.signal });
  await remote.stop();
  return told;
}

describe('Ctrl-C', () => {
  it.each([[['tools']], [['call', 'echo']], [['desktop']], [['status']]])(
    'ends %j with 130 as a server starts, and shows no answer',
    async (argv) => {
      const { code, out, err } = await interruptedAt('initialize', 'mute', argv);
      expect({ code, out, err }).toEqual({ code: 130, out: '', err: 'error: Interrupted\n' });
    },
  );

  it('ends as a server starts with one document under --json', async () => {
    const told = await interruptedAt('initialize', 'mute', ['call', 'echo', '--json']);
    expect(told.code).toBe(130);
    expect(documentIn(told)).toMatchObject({ error: { message: 'Interrupted' } });
  });

  it('ends with 130 as a call runs, and says what became of the call', async () => {
    const told = await interruptedAt('tools/call', 'echo', ['call', 'hang', '--json']);
    expect(told.code).toBe(130);
    expect(documentIn(told)).toMatchObject({
      ...{ outcome: 'unknown', phase: 'running', tool: 'hang' },
      failure: { code: 'ToolCallCancelled' },
    });
  });

  it('asks no office before it was asked', async () => {
    const from = ['tools', '--url', 'http://127.0.0.1:9'];
    expect(await commandLine(from, { signal: AbortSignal.abort() })).toMatchObject({ code: 130, out: '' });
  });

  it('ends with 130 at once as an agent waits for the tools of a computer', async () => {
    const aborter = new AbortController();
    await using office = await createOffice({ port: 0 });
    const silent = io(`${office.url}/smcp`, { reconnection: false, transports: ['websocket'] });
    const seat = { role: 'computer', name: 'silent', office_id: 'local' };
    expect(await silent.emitWithAck('server:join_office', seat)).toBe(true);
    silent.on('client:get_tools', () => aborter.abort());
    const asked = ['tools', '--url', office.url, '--computer', 'silent'];
    const told = await commandLine(asked, { signal: aborter.signal });
    silent.disconnect();
    expect(told).toEqual({ code: 130, out: '', err: 'error: Interrupted\n' });
  });
});

describe('a2c status', () => {
  it.each(['--name', '--confirm', '--no-auto-connect', '--no-auto-reconnect', '--facts'])(
    'does not offer %s, which would change nothing of what it shows',
    async (option) => {
      const { out } = await commandLine(['status', '--help']);
      expect(out).toContain('--offline');
      expect(out).not.toContain(option);
    },
  );
});
