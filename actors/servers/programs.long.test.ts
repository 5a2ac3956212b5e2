import { afterEach, describe, expect, it } from 'vitest';
import type { ProgramChecked } from '../../machines/call/transform.ts';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer } from '../index.ts';
import { Programs } from './programs.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of VRL programs in configs that a host gives. Their effect on results is tested in scenarios/contracts. */
const mark = crypto.randomUUID();
const markOf = (name: string): string => `${mark}-${name}.`;
const server = (name: string, vrl: string | null, more: object = {}): object =>
  launched(markOf(name), 'echo', { vrl, ...more });
const good = '.status = "processed"';
const wrong = '.a = 1\n.field =';
const mistake = 'line 2, column 9: syntax error: unexpected end of program';

let computer: Computer | undefined;
afterEach(async () => {
  await computer?.close();
  computer = undefined;
  expect(pidsOf(mark)).toEqual([]);
});

describe('a config with a program that cannot be run', () => {
  it('is refused by createComputer with server, line, column and mistake; nothing was started', async () => {
    const ear = createEar();
    const mcpServers = { fine: server('fine', good), fs: server('fs', wrong) };
    await expect(bootedComputer({ config: { mcpServers }, onEvent: ear.onEvent })).rejects.toMatchObject({
      code: 'VrlSyntaxError',
      message: `vrl of server 'fs': ${mistake}`,
      details: {
        server_name: 'fs',
        message: 'syntax error: unexpected end of program',
        ...{ line: 2, column: 9 },
      },
    });
    expect(ear.told).toEqual([]);
    expect(pidsOf(mark)).toEqual([]);
  });
  it('is refused by setServers and addOrUpdateServer, and everything is as it was, its inputs too', async () => {
    const needy = server('needy', null, { env: { MARK: markOf('needy'), WORD: '${input:word}' } });
    const input = { type: 'promptString', id: 'word', description: 'W' };
    computer = await bootedComputer({
      config: foreign({ mcpServers: { a: server('a', ' \n'), needy }, inputs: [input] }),
    });
    const before = { servers: computer.status().servers, pids: pidsOf(markOf('a')) };
    const change = { mcpServers: { a: server('a', wrong), b: server('b', null) } };
    await expect(computer.servers.add({ mcpServers: { c: server('c', wrong) } })).rejects.toMatchObject({
      code: 'VrlSyntaxError',
    });
    await expect(
      computer.servers.set(foreign({ ...change, inputs: [{ ...input, default: 'w' }] })),
    ).rejects.toMatchObject({
      code: 'VrlSyntaxError',
      message: `vrl of server 'a': ${mistake}`,
    });
    expect({ servers: computer.status().servers, pids: pidsOf(markOf('a')) }).toEqual(before);
    // The input `word` has no default value.
    await expect(computer.servers.start('needy')).rejects.toThrow('needs input word');
  });
});

describe('the programs of a config', () => {
  const configured = (...programs: (string | null)[]) =>
    programs.map((vrl, at) => ({ name: `s${at}`, vrl })) as never;
  const checker = (answers: Readonly<Record<string, ProgramChecked>> = {}) => {
    const asked: string[] = [];
    const check = (source: string): Promise<ProgramChecked> => {
      asked.push(source);
      return Promise.resolve(answers[source] ?? { ok: true });
    };
    return { asked, programs: new Programs({ check }) };
  };
  const refusal = (message: string): ProgramChecked => ({
    ok: false,
    failure: { code: 'VrlSyntaxError', message, details: { message, line: 1, column: 1 } },
  });

  it('are each checked once, and not again while they stay what they are', async () => {
    const { asked, programs } = checker();
    await programs.mustBeRight(configured('a', 'b', 'a', null));
    await programs.mustBeRight(configured('a', 'b'));
    await programs.mustBeRight(configured('b', 'c'));
    expect(asked).toEqual(['a', 'b', 'c']);
    await programs.mustBeRight(configured('a'));
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });
  it('are told with all their mistakes, a line each, of every server that has them', async () => {
    const { programs } = checker({ a: refusal('one\ntwo'), b: refusal('three') });
    await expect(programs.mustBeRight(configured('a', 'good', 'b', 'a'))).rejects.toMatchObject({
      message: [
        "vrl of server 's0': one",
        "vrl of server 's0': two",
        "vrl of server 's2': three",
        "vrl of server 's3': one",
        "vrl of server 's3': two",
      ].join('\n'),
      details: { server_name: 's0', line: 1, column: 1 },
    });
  });
  it('are checked again the next time when they are refused', async () => {
    const { asked, programs } = checker({ a: refusal('one') });
    await expect(programs.mustBeRight(configured('a', 'b'))).rejects.toThrow('one');
    await expect(programs.mustBeRight(configured('a'))).rejects.toThrow('one');
    expect(asked).toEqual(['a', 'b', 'a']);
  });
});
