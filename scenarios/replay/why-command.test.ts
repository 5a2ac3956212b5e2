import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../fixtures/command-line.ts';
import { createComputer } from '../../actors/index.ts';
import { recordedTrouble } from '../fixtures/troubled.ts';
import { recordedCustomers } from '../fixtures/customers.ts';
import { forkFile } from './fork/fork.ts';

const died = await recordedCustomers('die');

describe('a2c why', () => {
  it('says in at most five lines what failed, with the exit code, and what more there is', async () => {
    const { code, out } = await commandLine(['why', died]);
    const lines = out.trimEnd().split('\n');
    expect({ code, first: lines[0], last: lines.at(-1) }).toEqual({
      code: 0,
      first: died,
      last: `  more: a2c replay ${died} · does it still: a2c verify ${died}`,
    });
    expect(lines.length).toBeLessThanOrEqual(7);
    expect(lines[1]).toMatch(/^ {2}call \S+ \(report of customers\): unknown \(ServerLost: .*exit code 3/);
    expect(out).toContain('process customers/1: ended with exit code 3');
    const json = JSON.parse((await commandLine(['why', died, '--json'])).out) as object;
    expect(Object.keys(json)).toEqual(['file', 'reasons', 'outcomes']);
  });
  it.each([
    ['mismatch', 'n: must be number'],
    ['malformed', 'content.0 has no text'],
  ])('says where a result breaks its schema, and what is expected: %s', async (kind, text) => {
    const file = await recordedTrouble(kind);
    const { out } = await commandLine(['why', file]);
    expect(out).toMatch(/\n {2}call \S+ \(\S+ of troubled\): succeeded/);
    expect(out).toContain(`succeeded (but ${text}), after`);
  });
  it('says what a server of a running host waits for', async () => {
    const command = { command: process.execPath, args: ['-e', 'process.exit(7)'] };
    const config = { mcpServers: { shy: { ...command, a2c: { restart: 'never' as const } } } };
    await using computer = await createComputer({ name: 'asked-why', config, shared: true, reaper: false });
    const gaveUp = new Promise<void>((resolve) =>
      computer.on('server.changed', ({ state }) => state === 'open' && resolve()),
    );
    if (computer.status().servers[0]?.state !== 'open') await gaveUp;
    expect(await commandLine(['why', 'shy'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^server shy of asked-why \(pid \d+\) .*exit code 7\n$/),
    });
  });
  it.each([
    ['a file that is not there', ['nowhere.trace.ndjson'], 64, 'no such trace'],
    ['a file that is none', ['./package.json'], 5, 'UNUSABLE ./package.json: line 1'],
    ['a server that no host runs', ['no-such-server'], 1, "no server 'no-such-server' of a running host"],
  ])('refuses %s', async (_, argv, code, text) => {
    const told = await commandLine(['why', ...argv]);
    expect(told).toMatchObject({ code, err: expect.stringContaining(text) });
  });
});

describe('a2c fork without a change', () => {
  it('offers what can be changed by number, each with its outcome, which --change then gives', async () => {
    const out = `${died}.fork`;
    const told = await commandLine(['fork', died, '--out', out]);
    const [, n] = /--change (\d+):answer/.exec(told.out) ?? [];
    expect(told.out).toMatch(
      /--change \d+:answer {2}.*\n {6}call \S+: unknown \(ServerLost: .*\) \| succeeded/,
    );
    expect(existsSync(out)).toBe(true);
    const changed = await commandLine(['fork', died, '--out', out, '--change', `${n}:answer`]);
    expect(changed.out).toMatch(/^recorded \| forked\n {2}call \S+: unknown .* \| succeeded/);
    const { differences } = await forkFile(died, { change: { [Number(n)]: 'skip' } });
    expect(differences.length).toBeGreaterThan(0);
    for (const [text, error] of [
      ['soon', 'write N:WHAT'],
      [`${n}:nonsense`, 'write skip, answer, error or PATH=VALUE'],
      ['999999:skip', 'seq 999999 is no input'],
    ] as const)
      expect(await commandLine(['fork', died, '--out', out, '--change', text])).toMatchObject({
        code: 64,
        err: expect.stringContaining(error),
      });
  });
});
