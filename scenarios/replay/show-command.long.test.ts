import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hostPath } from '../../machines/inspection.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import { attachTo, type AttachedPage } from '../fixtures/attached.ts';
import { commandLine, inspected } from '../fixtures/command-line.ts';
import { readBack } from './again/recorded-again.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { traceOf } from './world/world.ts';

const recording = (name: string): string =>
  fileURLToPath(new URL(`../recordings/${name}.trace.ndjson.gz`, import.meta.url));
const folder = testFolder('show');

async function shown(file: string): Promise<{ page: AttachedPage; code: number; err: string }> {
  const { url, end } = await inspected(['show', file]);
  const page = await attachTo(url);
  await page.until(({ messages }) => messages.find(({ type }) => type === 'complete'));
  expect(await page.say({ type: 'control', id: 1, verb: 'stop', target: 's' })).toMatchObject({ ok: false });
  const told = await end();
  await page.closed;
  return { page, ...told };
}
const textOf = ({ messages }: AttachedPage): string =>
  messages.map((message) => ('lines' in message ? message.lines : '')).join('');

describe('a2c show', () => {
  it.each(['death-in-mid-call', 'office-restart'])(
    'shows %s with all that its machines did',
    async (name) => {
      const file = recording(name);
      const { page, code, err } = await shown(file);
      expect({ code, err }).toEqual({ code: 0, err: 'Ctrl-C closes it\n' });
      expect(page.messages[0]).toMatchObject({
        mode: 'file',
        host: { kind: 'file', name: file, pid: null },
      });
      const [read, original] = [readBack(textOf(page)), traceOf(file).trace];
      expect(read.head.profile).toBe('full');
      // Timers are those of today's charts.
      const inputs = (trace: Trace): object[] =>
        trace.lines.flatMap(({ t, record }) =>
          record.k === 'in' && !record.ch?.startsWith('timer ') ? [{ t, ch: record.ch, ev: record.ev }] : [],
        );
      expect(inputs(read)).toEqual(inputs(original));
      expect(read.lines.some(({ record }) => record.k === 'step' && record.ctx !== undefined)).toBe(true);
      const messages = (trace: Trace): object[] =>
        (trace.frames ?? []).map(({ t, of, dir, json }) => ({ t, of, dir, json }));
      expect(messages(original).length).toBeGreaterThan(5);
      expect(messages(read)).toEqual(messages(original));
    },
  );

  it('streams a long one in many messages, and loses none of its records', async () => {
    const about = { format: 'a2c-trace/2', runtime: '0', xstate: '5', node: 'v20', profile: 'full' };
    const more = { clock: 'virtual', started: null, next: 1, redaction: { keyId: null } };
    const head = JSON.stringify({ s: 0, t: 0, k: 'head', ...about, ...more });
    const defect = { a: 'x', ch: 'defect', k: 'defect', what: '<script>'.repeat(10) };
    const rows = Array.from({ length: 20_000 }, (_, at) =>
      JSON.stringify({ s: at + 1, t: at, w: at, ...defect }),
    );
    const file = join(folder, 'long.trace.ndjson');
    writeFileSync(file, `${[head, ...rows].join('\n')}\n`);
    const { page } = await shown(file);
    expect(page.messages.at(-3)).toEqual({ type: 'complete', records: 20_000 });
    expect(page.messages.length).toBeGreaterThan(5);
    expect(textOf(page)).toBe(`${[head, ...rows].join('\n')}\n`);
  });

  it('writes one HTML file, in which no text of the trace is markup', async () => {
    const html = join(folder, 'out.html');
    const file = join(folder, 'long.trace.ndjson');
    expect(await commandLine(['show', file, '--html', html])).toMatchObject({ code: 0, out: `${html}\n` });
    const text = readFileSync(html, 'utf8');
    const [, packed = ''] = /<script id="a2c-trace" type="text\/plain">([\w+/=]+)<\/script>/.exec(text) ?? [];
    expect(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')).toContain('"what":"<script>');
    expect(readFileSync(file).length).toBeGreaterThan(1_800_000);
    expect(text.length).toBeLessThan(2_000_000);
    expect(text.match(/<script/g)).toHaveLength(5);
    expect(text.match(/<\/script/gi)).toHaveLength(5);
    expect(text).not.toMatch(/(src|href)="(?!data:)/);
    expect(text).not.toContain(folder);
    const unwritable = join(folder, 'no', 'such', 'folder.html');
    const { code, err } = await commandLine(['show', file, '--html', unwritable]);
    expect({ code, told: err.startsWith(unwritable) }).toEqual({ code: 1, told: true });
  });

  it('shows several on one page, each at a path of its own, and writes them into one file', async () => {
    const files = ['death-in-mid-call', 'crash-loop'].map(recording);
    const { url, end } = await inspected(['show', ...files]);
    const all = await attachTo(url);
    const fleet = await all.until(({ messages }) => messages.find(({ type }) => type === 'fleet'));
    expect(fleet).toMatchObject({ hosts: files.map((name) => ({ kind: 'file', name })) });
    for (const [n, name] of files.entries()) {
      const page = await attachTo(url, {}, hostPath(n));
      expect(await page.welcome()).toMatchObject({ host: { name }, mode: 'file' });
      await page.until(({ messages }) => messages.find(({ type }) => type === 'complete'));
      await page.close();
    }
    const none = await attachTo(url, {}, hostPath(2));
    expect(await none.closed).toBe(1008);
    expect(await end()).toMatchObject({ code: 0 });
    expect(await all.closed).toBe(1000);
    const html = join(folder, 'several.html');
    expect(await commandLine(['show', ...files, '--html', html])).toMatchObject({ code: 0 });
    expect(readFileSync(html, 'utf8').match(/<script id="a2c-trace-\d"/g)).toHaveLength(2);
  });

  it.each([
    ['no trace', 'hello\n', 5, 'line 1: its first line is no head of an a2c-trace'],
    ['an empty file', '', 5, 'line 1: it is empty'],
    ['a file that is not there', undefined, 64, 'no such trace'],
  ])('says what is wrong with %s, and shows nothing', async (what, text, wanted, problem) => {
    const file = join(folder, `${what}.trace.ndjson`);
    if (text !== undefined) writeFileSync(file, text);
    const { code, out, err } = await commandLine(['show', file]);
    expect({ code, out }).toEqual({ code: wanted, out: '' });
    expect(err).toContain(problem);
  });

  it('shows what is sound of a damaged file, with the line of the damage; a torn last line is none', async () => {
    const lines = readFileSync(join(folder, 'long.trace.ndjson'), 'utf8').split('\n');
    const sound = `${lines.slice(0, 101).join('\n')}\n`;
    const file = join(folder, 'damaged.trace.ndjson');
    writeFileSync(file, `${sound}{"s":101,"t"\n${lines.slice(102).join('\n')}`);
    const { page, err } = await shown(file);
    const damage = expect.stringMatching(/^The file is damaged in line 102: .* What follows is not shown\.$/);
    expect(page.messages[0]).toMatchObject({ type: 'welcome', damage });
    expect(err).toContain('The file is damaged in line 102');
    expect(textOf(page)).toBe(sound);
    writeFileSync(file, `${sound}{"s":101,"t":100,"ch":"def`);
    const torn = await shown(file);
    expect(torn.page.messages[0]).not.toHaveProperty('damage');
    expect(textOf(torn.page)).toBe(sound);
  });

  it('shows a compressed file that ends too early up to its last whole line, and says so', async () => {
    const text = readFileSync(join(folder, 'long.trace.ndjson'), 'utf8');
    const file = join(folder, 'torn.trace.ndjson.gz');
    const bytes = gzipSync(text);
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
    const { page } = await shown(file);
    const kept = textOf(page);
    expect(text.startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThan(text.length / 4);
    const line = kept.split('\n').length;
    const damage = `The file is damaged in line ${line}: it cannot be unpacked: unexpected end of file. What follows is not shown.`;
    expect(page.messages[0]).toMatchObject({ type: 'welcome', damage });
  });
});
