import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../../actors/transport/index.ts';
import { calmly, connected, server } from './supervised.subject.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a supervised transport', () => {
  it('is a transport of a client of the SDK 2.x, and its close ends the process', async () => {
    await using supervisor = createSupervisor(calmly);
    const { client, transport } = await connected(supervisor, {});
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['read']);
    const answer = await client.callTool({ name: 'read', arguments: {} });
    expect(answer).toMatchObject({ content: [{ type: 'text' }] });
    const pid = transport.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await client.close();
    expect(isAlive(pid)).toBe(false);
    await expect(transport.start()).rejects.toThrow('was started before');
  });

  it('tells exit code and stderr of a server that dies in a call, and closes', async () => {
    await using supervisor = createSupervisor(calmly);
    const { client: one } = await connected(supervisor, {
      faults: [
        { fault: 'proc.stderrFlood', bytes: 12, when: 'call' },
        { fault: 'proc.exit', code: 3, when: 'call', afterMs: 20 },
      ],
    });
    const closed = new Promise<void>((resolve) => (one.onclose = resolve));
    const errors: Error[] = [];
    one.onerror = (error) => void errors.push(error);
    await expect(one.callTool({ name: 'read', arguments: {} })).rejects.toMatchObject({
      message: expect.stringContaining("Server 'shaky' ended with exit code 3; stderr: flood flood"),
      code: -32_000,
      data: { code: 'ServerLost', exit_code: 3, stderr: expect.stringContaining('flood') },
    });
    await closed;
    expect(errors).toMatchObject([{ name: 'A2cError', code: 'ServerLost' }]);
  });

  it.each<[what: string, option: string, told: string, server: unknown, options?: unknown]>([
    ['a URL of another kind', 'server', 'expected an http: or https: URL', 'ftp://example.com'],
    ['no server', 'server', 'expected an object, got null', null],
    ['no command', 'server.command', 'is missing', {}],
    ['a misspelt command', 'server.arg', 'unknown option (did you mean args?)', { command: 'a', arg: [] }],
    ['headers of a command', 'headers', 'they belong to a URL', server({}), { headers: { a: 'b' } }],
    ['a time that is none', 'connectMs', 'expected milliseconds', server({}), { connectMs: Number.NaN }],
    [
      'a misspelt try',
      'reconnect.attemps',
      '(did you mean attempts?)',
      server({}),
      { reconnect: { attemps: 3 } },
    ],
    ['a wrong try', 'reconnect.firstMs', 'got NaN', server({}), { reconnect: { firstMs: Number.NaN } }],
    [
      'tries in words',
      'reconnect',
      "expected true, false or an object, got 'yes'",
      server({}),
      { reconnect: 'yes' },
    ],
  ])('refuses %s, and names the option', (_what, option, told, given, options) => {
    const { supervised } = createSupervisor(calmly) as unknown as {
      supervised: (...given: unknown[]) => void;
    };
    const refused = expect.objectContaining({
      code: 'BadRequest',
      message: expect.stringMatching(
        new RegExp(`^supervised: ${option}: .*${told.replaceAll(/[()?]/g, String.raw`\$&`)}`),
      ) as string,
      details: { option },
    }) as Error;
    expect(() => supervised(given, options)).toThrow(refused);
  });

  it('shows how a program is given to who gave its command line', () => {
    expect(() => createSupervisor(calmly).supervised('node server.mjs')).toThrow(
      expect.objectContaining({
        remedy: 'A program is given as {"command":"node","args":["server.mjs"]}.',
      }) as Error,
    );
  });
});
