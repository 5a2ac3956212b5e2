import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of byte order marks, line ends and encodings of config files, which a change must keep. */
const folder = testFolder('bytes');
let files = 0;
function written(content: string | Buffer, ending = 'json'): string {
  const file = join(folder, `${(files += 1)}.${ending}`);
  writeFileSync(file, content);
  return file;
}
const isWindows = process.platform === 'win32';
const lines = '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n';
const mark = '\uFEFF';

describe('a config file', () => {
  it.each([
    ['a byte order mark', mark + lines],
    ['two of them', mark + mark + lines],
    ['line ends of Windows', lines.replaceAll('\n', '\r\n')],
    ['both', mark + lines.replaceAll('\n', '\r\n')],
    ['neither', lines],
  ])('keeps what it has with %s when it is changed', async (_what, text) => {
    const file = written(text);
    const [marks] = /^\uFEFF*/.exec(text) ?? [''];
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    for (const argv of [
      ['add', 'b', 'y'],
      ['disable', 'a'],
      ['enable', 'a'],
      ['remove', 'a'],
    ]) {
      expect(await commandLine([...argv, '-c', file])).toMatchObject({ code: 0 });
      const now = readFileSync(file, 'utf8');
      expect(now.startsWith(`${marks}{${eol}`)).toBe(true);
      expect(now.split('\n').length).toBe(now.split(eol).length);
      expect(readFileSync(`${file}.bak`, 'utf8').startsWith(`${marks}{`)).toBe(true);
    }
    expect(JSON.parse((await commandLine(['list', '--json', '-c', file])).out)).toMatchObject({
      servers: [{ name: 'b' }],
    });
  });
  it.each([
    ['json', mark + lines],
    ['yaml', `${mark}mcpServers:\r\n  a:\r\n    command: x\r\n`],
    ['toml', `${mark}[mcp_servers.a]\r\ncommand = "x"\r\n`],
    ['yml', `${mark}extensions:\n  a:\n    type: stdio\n    cmd: x\n    enabled: true\n`],
  ])('is read with a byte order mark in the format %s', async (ending, text) => {
    expect(
      JSON.parse((await commandLine(['list', '--json', '-c', written(text, ending)])).out),
    ).toMatchObject({
      servers: [{ name: 'a', target: 'x' }],
    });
  });
  it.each([
    ['with a mark', Buffer.from(mark + lines, 'utf16le')],
    ['without one', Buffer.from(lines, 'utf16le')],
    ['with the other order', Buffer.from(mark + lines, 'utf16le').swap16()],
  ])('is named as such in UTF-16 %s by every command, and stays', async (_what, content) => {
    const file = written(content);
    const ours = join(folder, 'ours.json');
    for (const argv of [
      ...[
        ['list'],
        ['get', 'a'],
        ['export'],
        ['add', 'b', 'y'],
        ['remove', 'a'],
        ['enable', 'a'],
        ['disable', 'a'],
      ].map((words) => [...words, '-c', file]),
      ['import', file, '--yes', '-c', ours],
      ['tools', '-c', file],
    ]) {
      const { code, err } = await commandLine(argv);
      expect({ argv, code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining(`${file}: is UTF-16 (save it as UTF-8)`) as string,
      });
    }
    expect(readFileSync(file)).toEqual(content);
  });
  it.each([
    ['yaml', 'YAML'],
    ['toml', 'TOML'],
  ])('is not changed in the format %s, and the remedy says what to do', async (ending, name) => {
    const file = written('a: 1\n', ending);
    const { code, err } = await commandLine(['add', 'b', 'y', '-c', file]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`is ${name}: it is read, and only JSON is written`),
    ]);
    expect(err).toContain(`a2c import ${file}`);
  });
  // Windows has no modes but that of a file that nobody may write.
  it.each(isWindows ? [0o444] : [0o600, 0o640, 0o444])('keeps the mode %o', async (mode) => {
    const file = written(lines);
    chmodSync(file, mode);
    await commandLine(['add', 'b', 'y', '-c', file]);
    expect([file, `${file}.bak`].map((each) => statSync(each).mode & 0o777)).toEqual([mode, mode]);
  });
  it.skipIf(isWindows)('is for nobody else to read when it is new', async () => {
    const file = join(folder, 'new.json');
    await commandLine(['add', 'b', 'y', '-c', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
