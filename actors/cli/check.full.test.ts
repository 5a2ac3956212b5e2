import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkRules, type Violation } from '../../machines/resources/check.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { startOverHttp } from '../../scenarios/fixtures/resource-servers.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const check = (...argv: string[]) => commandLine(['check', ...argv]);
const node = (path: string, ...args: string[]): string[] => ['--', process.execPath, at(path), ...args];
const faulty = node('scenarios/fixtures/faulty-server.mjs');
interface Told {
  readonly violations: readonly Violation[];
  readonly read: Readonly<Record<'windows' | 'documents' | 'pages' | 'elements', number>>;
}
const toldBy = (text: string): Told => JSON.parse(text) as Told;

describe('a2c check', () => {
  it('says nothing of the documents server, and has read all of it', { timeout: 120_000 }, async () => {
    const server = node('dist/actors/main.js', 'documents', at('scenarios/corpus'));
    const { code, out } = await check('--limit', '20', '--json', ...server);
    const { violations, read } = toldBy(out);
    expect(violations).toEqual([]);
    expect(code).toBe(0);
    expect(read.windows).toBe(1);
    expect(read.documents).toBeGreaterThan(30);
    expect(read.pages).toBeGreaterThan(60);
    expect(read.elements).toBe(read.pages);
  });

  it('says nothing of a catalogue over HTTP', async () => {
    const server = await startOverHttp('documents', '--catalogue');
    const { code, out } = await check(server.url, '--json');
    await server.stop();
    expect(toldBy(out)).toMatchObject({ violations: [], read: { documents: 2, pages: 3 } });
    expect(code).toBe(0);
  });

  it('says each rule that is broken once, with place, field and remedy', { timeout: 60_000 }, async () => {
    const { code, out } = await check('--limit', '5', '--json', ...faulty);
    const { violations } = toldBy(out);
    const rules = [...new Set(violations.map(({ rule }) => rule))];
    expect(rules.toSorted()).toEqual(checkRules.filter((rule) => rule !== 'list').toSorted());
    expect(violations.find(({ rule }) => rule === 'window-uri')).toMatchObject({
      uri: 'window://faulty/too-high?priority=101',
      field: 'priority',
      remedy: expect.stringContaining('priority=0…100') as string,
    });
    expect(violations.find(({ rule }) => rule === 'page')).toMatchObject({ field: 'element_count' });
    expect(code).toBe(1);
  });

  it('says so when a server gives no list', async () => {
    const { code, out } = await check(...faulty, '--listless');
    expect(out).toMatch(
      /^list: the server\n {4}no list came\n {4}Answer resources\/list\n1 thing breaks a rule/,
    );
    expect(code).toBe(1);
  });

  it('ends with Ctrl-C and no half answer, also while a read hangs', async () => {
    const aborter = new AbortController();
    const steps: string[] = [];
    const out: string[] = [];
    const terminal = {
      out: (line: string) => out.push(line),
      err: () => {},
      errText: () => {},
      meter: (step: string | null) => {
        steps.push(step ?? '');
        if (step?.endsWith('window://faulty/mute') === true) aborter.abort();
      },
    };
    const argv = ['check', '--limit', '20', ...faulty];
    const { code } = await commandLine(argv, { terminal: terminal as never, signal: aborter.signal });
    expect(code).toBe(130);
    expect(out).toEqual([]);
    expect(steps).toContain('waiting for its list of resources');
    expect(steps.at(-1)).toBe('');
  });

  it('says why a server cannot be checked', async () => {
    const { code, err } = await check('./no-such-program');
    expect([code, err]).toEqual([1, expect.stringContaining('there is no such file')]);
    expect((await check('x', '--limit', '21')).code).toBe(64);
  });
});
