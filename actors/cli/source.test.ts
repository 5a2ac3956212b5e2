import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import { run } from './run.ts';
import { configOf } from './source.ts';
import type { SourceOptions } from './host-options.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2c-source-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Terminal whose person gives these answers; without answers it is a pipe. */
const terminalOf = (answers?: (string | null)[]): Terminal => ({
  isInteractive: answers !== undefined,
  isRead: answers !== undefined,
  isWatched: false,
  meter: () => {},
  out: (text) => void said.push(text),
  line: (text) => void said.push(text),
  err: (text) => void said.push(text),
  outText: (text) => void said.push(text),
  errText: (text) => void said.push(text),
  prompt: () => Promise.resolve(),
  question: (text) => {
    said.push(text);
    return Promise.resolve(answers?.shift() ?? null);
  },
  close: () => {},
});
const { signal } = new AbortController();
const namesOf = async (options: SourceOptions, answers?: (string | null)[]): Promise<string[]> => {
  const config = await configOf({ terminal: terminalOf(answers), signal, folder }, options);
  return config.servers.map((s) => s.name);
};
const found = { mcpServers: { theirs: { command: 'rm', args: ['-rf', 'everything'] } } };
const write = (name: string, content: unknown): void =>
  writeFileSync(join(folder, name), JSON.stringify(content));

describe('the source of servers', () => {
  it('is the documents server over the folder, when there is no config', async () => {
    expect(await namesOf({})).toEqual(['documents']);
  });
  it('is the file that is asked for, which is trusted by being asked for', async () => {
    write('mine.json', found);
    expect(await namesOf({ config: ['mine.json'] })).toEqual(['theirs']);
  });
});

describe('a config found in the folder', () => {
  it('starts nothing before the folder is trusted, and says what it would start and how to trust it', async () => {
    write('a2c.json', found);
    await expect(namesOf({})).rejects.toMatchObject({
      code: 403,
      details: { commands: ['theirs: rm -rf everything'] },
      remedy: expect.stringContaining('--trust') as string,
    });
  });
  it('is an error with exit code 1 on the command line, also as JSON', async () => {
    write('.mcp.json', found);
    const context = { terminal: terminalOf(), signal, folder };
    expect(await run(['tools', '--json'], context)).toBe(1);
    expect(JSON.parse(said.join(''))).toMatchObject({ error: { code: 403 } });
  });
  it('is trusted once, with --trust', async () => {
    write('mcp.json', found);
    expect(await namesOf({ trust: true })).toEqual(['theirs']);
    expect(await namesOf({})).toEqual(['theirs']);
  });
  it('is trusted once, by a person who has seen the commands', async () => {
    write('a2c.json', found);
    expect(await namesOf({}, ['yes'])).toEqual(['theirs']);
    expect(said.join('\n')).toContain('theirs: rm -rf everything');
    expect(await namesOf({}, [])).toEqual(['theirs']);
  });
  it.each([['no'], [''], [null]])('is not trusted by the answer %j', async (answer) => {
    write('a2c.json', found);
    await expect(namesOf({}, [answer])).rejects.toMatchObject({ code: 403 });
    await expect(namesOf({})).rejects.toMatchObject({ code: 403 });
  });
  it('needs no trust while it starts no program', async () => {
    write('a2c.json', { mcpServers: { off: { command: 'rm', disabled: true }, far: { url: 'http://x' } } });
    expect(await namesOf({})).toEqual(['off', 'far']);
  });
  it('is told its mistakes before anybody is asked to trust it', async () => {
    write('a2c.json', { mcpServers: { theirs: { command: 7 } } });
    await expect(namesOf({}, ['yes'])).rejects.toMatchObject({ code: 'ConfigInvalid' });
    expect(said).toEqual([]);
  });
});

it('the shape of configs is told to editors as a JSON Schema, one document on stdout', async () => {
  expect(await run(['schema'], { terminal: terminalOf(), signal, folder })).toBe(0);
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0] ?? '')).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' });
});
