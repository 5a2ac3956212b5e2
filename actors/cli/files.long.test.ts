import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commandLine, type CommandOutput } from '../../scenarios/fixtures/command-line.ts';
import { oldPeer } from '../../scenarios/fixtures/old-peer.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { createComputer, createOffice } from '../index.ts';

/** Files that `a2c call --url` puts on a computer, large contents that it saves, and skills. */
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
    expect(shown).toContainEqual(expect.stringMatching(/^put report\.pdf \[=+> +\] \d+\/6000000$/));
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
    expect([told.code, told.out, landedIn(landing)]).toEqual([1, '', []]);
    expect(told.err).toContain(message);
  });

  it('writes a large content to its file as it comes', async () => {
    const { call } = await world();
    const into = join(root, 'saved');
    mkdirSync(into);
    const file = join(into, 'photo-1.png');
    const behind: number[] = [];
    const onMeter = (line: string): void => {
      const [, came] = /^save photo .* (\d+)\/6000000$/.exec(line) ?? [];
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

describe('a2c skill --save', () => {
  const skills = join(root, 'skills');
  const entry = '---\nname: greet\ndescription: "Greets: a person"\ntags:\n  - one\n---\nSay hello.\n';
  const files: Readonly<Record<string, string | Buffer>> = {
    'SKILL.md': entry,
    'notes/names.txt': 'Ada',
    'model.bin': bytes,
    'tiny.png': Buffer.from([0, 255]),
  };
  for (const [path, content] of Object.entries({ ...files, '.env': 'KEY=1' })) {
    mkdirSync(dirname(join(skills, 'greet', path)), { recursive: true });
    writeFileSync(join(skills, 'greet', path), content);
  }
  const config = join(root, 'skills.json');
  const content = { mcpServers: {}, a2c: { skills: [skills] } };
  writeFileSync(config, JSON.stringify(content));
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .flatMap((each) => (each.isFile() ? [relative(folder, join(each.parentPath, each.name))] : []))
      .toSorted();
  /** Arguments that name the config, or an office whose computer has it. */
  const from = async (where: string): Promise<readonly string[]> => {
    if (where === 'here') return ['-c', config];
    const office = await createOffice({ port: 0, record: false });
    ends.push(() => office.close());
    const stateDir = join(root, `skills-${(worlds += 1)}`);
    const computer = await createComputer({
      ...{ name: 'desk', record: false, stateDir, config: content, office: { url: office.url } },
    });
    ends.push(() => computer.close());
    return ['--url', office.url];
  };
  const skill = (
    argv: readonly string[],
    around?: Parameters<typeof commandLine>[1],
  ): Promise<CommandOutput> => commandLine(['skill', 'greet', ...argv], around);

  it.each(['here', 'in an office'])(
    'writes a whole skill that is %s, with its frontmatter',
    async (where) => {
      const into = join(root, `whole ${where}`);
      const told = await skill(['--save', into, ...(await from(where))]);
      expect([told.code, told.out, filesIn(into)]).toEqual([
        ...[0, ''],
        Object.keys(files)
          .map((path) => join('greet', path))
          .toSorted(),
      ]);
      for (const [path, was] of Object.entries(files))
        expect(readFileSync(join(into, 'greet', path)).equals(Buffer.from(was))).toBe(true);
      for (const path of Object.keys(files)) expect(told.err).toContain(`saved ${join(into, 'greet', path)}`);
    },
  );

  it('writes one file to its path or into a folder, and overwrites nothing', async () => {
    const where = await from('in an office');
    const one = join(root, 'one', 'model');
    const argv = ['--file', 'model.bin', '--save', one, ...where];
    expect(await skill([...argv, '--json'])).toMatchObject({
      code: 0,
      out: `${JSON.stringify({ saved: [one], isWhole: true })}\n`,
    });
    expect(sha256(readFileSync(one))).toBe(sha256(bytes));
    writeFileSync(one, 'mine');
    const again = await skill(argv);
    expect([again.code, readFileSync(one, 'utf8')]).toEqual([1, 'mine']);
    expect(again.err).toContain(`${one} exists, and nothing is overwritten`);
    expect((await skill(['--file', 'notes/names.txt', '--save', join(root, 'one'), ...where])).code).toBe(0);
    expect(readFileSync(join(root, 'one', 'names.txt'), 'utf8')).toBe('Ada');
    mkdirSync(join(root, 'twice', 'greet'), { recursive: true });
    const whole = await skill(['--save', join(root, 'twice'), ...where]);
    expect([whole.code, filesIn(join(root, 'twice'))]).toEqual([1, []]);
  });

  it('Ctrl-C ends it in the middle of a file, and leaves no part of the skill', async () => {
    const into = join(root, 'skill-given-up');
    const aborter = new AbortController();
    const shown: string[] = [];
    const onMeter = (line: string): void => {
      shown.push(line);
      aborter.abort();
    };
    const argv = ['--save', into, ...(await from('in an office'))];
    const told = await skill(argv, { signal: aborter.signal, onMeter });
    expect([told.code, shown[0], readdirSync(into)]).toEqual([
      130,
      expect.stringMatching(/^save model\.bin .*\/6000000$/),
      [],
    ]);
  });

  it.each([
    [['../evil'], 'names a file outside of the skill'],
    [['a//b'], 'names a file outside of the skill'],
    [undefined, 'does not tell its other files'],
  ])('writes of a computer that names %j no file outside of the folder', async (named, message) => {
    const office = await createOffice({ port: 0, record: false });
    ends.push(() => office.close());
    const old = await oldPeer(office.url);
    ends.push(async () => void old.close());
    const facts = { name: 'greet', description: 'd', source: 'user', path: '/x' };
    old.on('client:get_skills', ({ req_id }, ack) => ack({ skills: [facts], req_id }));
    old.on('client:get_skill', ({ name, req_id }, ack) =>
      ack({
        ...{
          name,
          rel_path: 'SKILL.md',
          mime_type: 'text/markdown',
          total_size: 2,
          sha256: '',
          body: 'hi',
          req_id,
        },
        ...(named && { a2c_files: named }),
      }),
    );
    const into = join(root, `hostile ${String(named)}`.replaceAll('/', '-'));
    const told = await skill(['--save', into, '--url', office.url]);
    expect(told.err).toContain(message);
    expect([told.code, existsSync(into) ? filesIn(into) : []]).toEqual(
      named ? [1, []] : [0, [join('greet', 'SKILL.md')]],
    );
  });
});
