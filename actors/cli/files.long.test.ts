import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commandLine, type CommandOutput } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { createComputer, createOffice } from '../index.ts';

/** Files that `a2c call --url` puts on a computer, and large contents that it saves. */
const root = testFolder('call-files');
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
const bytes = Buffer.from(Uint8Array.from({ length: 6_000_000 }, (_, n) => (n * 31) % 253));
const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
const report = join(root, 'report.pdf');
writeFileSync(report, bytes);

/** Server whose tools tell the hash of a file of its machine, tell their arguments, and give a large image. */
async function reader(): Promise<InMemoryTransport> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: 'reader', version: '1' });
  const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  const ofFile = { inputSchema: { file: z.string(), note: z.string().optional() } };
  server.registerTool('hash', ofFile, ({ file }) => said(sha256(readFileSync(file))));
  server.registerTool('tell', { inputSchema: { given: z.any() } }, ({ given }) =>
    said(JSON.stringify(given)),
  );
  const image = { type: 'image' as const, mimeType: 'image/png', data: bytes.toString('base64') };
  server.registerTool('photo', {}, () => ({ content: [image] }));
  await server.connect(far);
  return near;
}
let worlds = 0;
interface World {
  readonly landing: string;
  readonly call: (
    argv: readonly string[],
    around?: Parameters<typeof commandLine>[1],
  ) => Promise<CommandOutput>;
}
async function world(landingOf: object | null = {}): Promise<World> {
  const folder = join(root, String((worlds += 1)));
  const landing = join(folder, 'landing');
  const office = await createOffice({ port: 0, record: false });
  ends.push(() => office.close());
  const computer = await createComputer({
    ...{ name: 'desk', record: false, stateDir: join(folder, 'state'), office: { url: office.url } },
    config: {
      mcpServers: { s: { type: 'inmemory', autoApprove: ['all'] } },
      ...(landingOf && { a2c: { landing: { folder: landing, autoApprove: true, ...landingOf } } }),
    },
    inMemory: { s: reader },
  });
  ends.push(() => computer.close());
  return {
    landing,
    call: (argv, around) => commandLine(['call', ...argv, '--url', office.url], around),
  };
}
const landedIn = (landing: string): string[] =>
  existsSync(landing) ? readdirSync(landing).filter((name) => name !== '.a2c-upload') : [];

describe('a2c call --url', () => {
  it('puts the file of key@=path on the computer, shows how far it is, and gives the tool its path', async () => {
    const { call, landing } = await world();
    const shown: string[] = [];
    const told = await call(['hash', `file@=${report}`], { onMeter: (line) => shown.push(line) });
    expect(told).toMatchObject({ code: 0, out: `${sha256(bytes)}\n` });
    const [name = ''] = landedIn(landing);
    expect(told.err).toContain(`put report.pdf on desk: ${join(landing, name)}`);
    expect(shown).toContainEqual(expect.stringMatching(/^put report\.pdf \d+\/6000000$/));
  });

  it.each(['put', 'save'])('Ctrl-C in the middle of a %s ends it, and leaves nothing', async (what) => {
    const { call, landing } = await world();
    const aborter = new AbortController();
    const into = join(root, 'given-up');
    const onMeter = (line: string): void => {
      if (line.startsWith(what)) aborter.abort();
    };
    const argv = what === 'put' ? ['hash', `file@=${report}`] : ['photo', '--save', into];
    const told = await call(argv, { signal: aborter.signal, onMeter });
    expect([told.code, told.err]).toEqual([130, expect.stringContaining('Interrupted')]);
    expect([landedIn(landing), landedIn(into)]).toEqual([[], []]);
  });

  it.each([
    ['file@=', 'is a folder'],
    ['file@=gone.pdf', 'there is no file'],
    [`file@=${join(root, 'empty')}`, 'is empty'],
  ])('is refused before an office is asked: %s', async (word, message) => {
    writeFileSync(join(root, 'empty'), '');
    const told = await commandLine(['call', 'hash', word, '--url', 'http://127.0.0.1:9']);
    expect([told.code, told.err]).toEqual([64, expect.stringContaining(message)]);
    expect(told.err).toContain('a text is written file=text');
  });

  it.each([
    ['a computer that takes no files', null, ['hash', `file@=${report}`], 'a2c.landing'],
    ['a file above its limit', { maxFileBytes: 5 }, ['hash', `file@=${report}`], 'Send a smaller file'],
    ['arguments that do not fit', {}, ['hash', `file@=${report}`, 'other=1'], "'other' is not an argument"],
  ])('says so, and calls nothing, for %s', async (_, landingOf, argv, message) => {
    const { call, landing } = await world(landingOf);
    const told = await call(argv);
    expect([told.code, told.out, landedIn(landing)]).toEqual([2, '', []]);
    expect(told.err).toContain(message);
  });

  it('writes a large content to its file as it comes', async () => {
    const { call } = await world();
    const into = join(root, 'saved');
    mkdirSync(into);
    const file = join(into, 'photo-1.png');
    const behind: number[] = [];
    const onMeter = (line: string): void => {
      const [, came] = /^save photo (\d+)\/6000000$/.exec(line) ?? [];
      if (came !== undefined) behind.push(Number(came) - statSync(file).size);
    };
    const told = await call(['photo', '--save', into], { onMeter });
    expect(told).toMatchObject({ code: 0, err: expect.stringContaining(`saved ${file}`) });
    expect(sha256(readFileSync(file))).toBe(sha256(bytes));
    // Parts have 256 KiB; a few are on their way to the disk.
    expect(behind.length).toBeGreaterThan(20);
    expect(Math.max(...behind)).toBeLessThanOrEqual(4 * 262_144);
  });
});
