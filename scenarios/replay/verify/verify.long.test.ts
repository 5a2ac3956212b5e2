import { describe, expect, it } from 'vitest';
import { commandLine } from '../../fixtures/command-line.ts';
import { customerCommand, recordedCustomers } from '../../fixtures/customers.ts';
import { recordedTrouble, troubledCommand } from '../../fixtures/troubled.ts';
import { pidsOf } from '../../fixtures/hosted.ts';
import { givenValues } from './hidden-values.ts';
import { judge, type Rules } from './judge.ts';
import type { Row } from './plan.ts';
import { seenOf, type Seen } from './seen.ts';
import { resultDifferences } from './shape.ts';
import { verify } from './verify.ts';

const [died, hung, refused, booked] = await Promise.all([
  recordedCustomers('die'),
  recordedCustomers('hang'),
  recordedCustomers('error'),
  recordedCustomers('die', {
    tool: 'book',
    params: { password: '4711-9922' },
    env: { GREETING: '${input:greeting}', MARK: 'a2c-verify-booked' },
  }),
]);

const a2c = (argv: readonly string[], around = {}) => commandLine(['verify', ...argv], around);
const given = ['arguments.password=4711-9922', 'env.MARK=a2c-verify-booked', 'input.greeting=hello'];
const sets = ['--yes', ...given.flatMap((one) => ['--set', one])];

describe('a recorded failure, against a real server', () => {
  it('is red while the server of the recorded config still dies', async () => {
    expect(await a2c([died])).toEqual({
      code: 1,
      err: '',
      out: expect.stringMatching(
        /^RED {2}'customers' {2}tools\/call report \{"customer":"ACME"\}\n {4}recorded: .*exit code 3; stderr: no such customer\n {4}now: .*exit code 3; stderr: no such customer\n {2}record \d+ {2}initialize: answered\n {2}record \d+ {2}tools\/list: answered\n {2}record \d+ {2}tools\/call report \{"customer":"Bolt"\}: answered\n {2}record \d+ {2}red {2}tools/,
      ) as string,
    });
  });
  it('names the error of a crash, and not the last line of its stderr', async () => {
    const crashed = await recordedCustomers('crash');
    const { verdict, failure } = await verify(crashed);
    expect([verdict, failure?.was]).toEqual([
      'red',
      expect.stringContaining('exit code 1; stderr: TypeError: customer has no orders'),
    ]);
  });
  it('is green when a mended one answers', async () => {
    const { code, out } = await a2c([died, '--', ...customerCommand('fine')]);
    expect({ code, now: out.split('\n')[2] }).toEqual({ code: 0, now: '    now: answered' });
  });
  it.each([
    ['a death that has become silence', died, 'hang', 'other', 'death'],
    ['a death that has become an error', died, 'error', 'other', 'death'],
    ['another death', died, 'crash', 'other', 'death'],
    ['silence again', hung, 'hang', 'red', 'timeOut'],
    ['silence that has become a death', hung, 'die', 'other', 'timeOut'],
    ['silence that has ended', hung, 'fine', 'green', 'timeOut'],
    ['the same error', refused, 'error', 'red', 'error'],
    ['an error that is gone', refused, 'fine', 'green', 'error'],
  ] as const)('is told as what it is for %s', async (_, file, fault, verdict, kind) => {
    const report = await verify(file, { command: customerCommand(fault), timeoutMs: 2_000 });
    expect(report).toMatchObject({ verdict, server: 'customers', failure: { kind } });
  });
  it('is another failure where the server dies at its start', async () => {
    const { verdict, failure } = await verify(died, {
      command: [process.execPath, '-e', 'process.exit(7)'],
    });
    expect([verdict, failure?.now]).toEqual([
      'other',
      expect.stringMatching(/^it did not start: .*exit code 7/),
    ]);
  });
  it('is unsure where the command cannot be started', async () => {
    const { code, out } = await a2c([died, '--', 'no-such-command-of-mine']);
    expect([code, out]).toEqual([
      3,
      expect.stringMatching(/^UNSURE.*\n.*\n {4}now: it did not start: .*no-such-command/),
    ]);
  });
  it('is asked of a new process, after another request has killed the first one', async () => {
    const { verdict, answers } = await verify(died, { command: customerCommand('die', 'Bolt') });
    expect(verdict).toBe('other');
    expect(answers.map((each) => each.verdict)).toEqual(['green', 'green', 'other', 'green']);
  });
  it('tells of other answers that are others now', async () => {
    const { verdict, answers } = await verify(died, { command: customerCommand('changed') });
    expect(verdict).toBe('other');
    expect(answers.flatMap(({ differences }) => differences)).toEqual([
      'result.structuredContent.pages is string, was number',
    ]);
  });
  it('is one of several, which are all asked', async () => {
    const file = await recordedTrouble('crash', 'broken', async (computer) => {
      await computer.callTool('crash', { n: 2 });
      await computer.callTool('hang', { n: 3 }, { timeoutMs: 60_000 });
      await computer.callTool('crash', { n: 2 });
    });
    const command = troubledCommand('crash', 'broken');
    const { verdict, answers } = await verify(file, { command, yes: true });
    const { s = 0 } = answers.find((each) => each.verdict === 'red') ?? {};
    const alone = await verify(file, { command, yes: true, record: s });
    expect([verdict, answers.filter((each) => each.verdict === 'red').length]).toEqual(['red', 2]);
    expect([alone.verdict, alone.failure?.record]).toEqual(['red', s]);
  });
});

describe('a good recording', () => {
  const given = ['--yes', '--', ...troubledCommand('value', 'mended')];
  it('is held against its server: a wrong value, a list that has changed, an error', async () => {
    const file = await recordedTrouble('value', 'mended');
    const [same, exact] = [await a2c([file, ...given]), await a2c([file, '--exact', ...given])];
    expect([same.code, exact.code, same.out.split('\n')[0]]).toEqual([
      0,
      0,
      "GREEN  'troubled'  4 requests are answered as recorded",
    ]);
    const wrong = ['--yes', '--', ...troubledCommand('value', 'broken')];
    expect((await a2c([file, ...wrong])).code).toBe(0);
    const told = await a2c([file, '--exact', ...wrong]);
    expect(told).toMatchObject({
      code: 2,
      out: expect.stringContaining('result.structuredContent.n is 200, was 2') as string,
    });
    const ignored = ['result.structuredContent.n', 'content.*.text'].flatMap((path) => ['--ignore', path]);
    expect((await a2c([file, '--exact', ...ignored, ...wrong])).code).toBe(0);
    const [, record = ''] = /record (\d+) {2}other/.exec(told.out) ?? [];
    const wanted = ['--expect', `${record}:structuredContent.n=200`];
    expect((await a2c([file, ...wanted, ...given])).code).toBe(1);
    expect((await a2c([file, ...wanted, ...wrong])).code).toBe(0);
    const update = await a2c([file, '--exact', '--update', ...wrong]);
    expect([update.code, update.err]).toEqual([
      2,
      expect.stringMatching(/^updated: record \d+, tools\/call value/),
    ]);
    expect((await a2c([file, '--exact', ...wrong])).code).toBe(0);
  });
});

describe('a value that a trace does not give', () => {
  it('is asked for before anything is started', async () => {
    const steps: string[] = [];
    const { code, err } = await a2c([booked], { onMeter: (step: string) => steps.push(step) });
    expect({ code, steps }).toEqual({ code: 64, steps: [] });
    expect(err).toMatch(/give --set arguments\.password=… and --set env\.MARK=… and --set input\.greeting=…/);
  });
  it('is no permission for calls that are not read-only', async () => {
    const { code, err } = await a2c([booked, ...sets.slice(1)]);
    expect(code).toBe(64);
    expect(err).toMatch(
      /not marked read-only, so it needs --yes: tools\/call book \{.*\} \(record \d+\); tools\/call book/,
    );
  });
  it('is used where it is given, and never shown', async () => {
    const { code, out } = await a2c([booked, ...sets, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'red', failure: { kind: 'death' } });
    expect(out).not.toContain('4711');
    expect(pidsOf('a2c-verify-booked')).toEqual([]);
  });
  it.each([
    ['no such server', ['--server', 'other'], 64, "no server 'other' in the trace, which has customers"],
    ['a value without a name', ['--set', 'x'], 64, '--set takes PATH=VALUE'],
    ['an expected value of no request', ['--expect', '9999:a=1'], 64, 'record 9999 is no request'],
    ['a record that is no request', ['--record', '9999'], 64, 'these are: '],
    ['a value that is no JSON', ['--set', 'a:=x'], 64, '--set a:= takes JSON'],
  ])('is a wrong use: %s', async (_, argv, code, text) => {
    const told = await a2c([died, ...argv]);
    expect(told).toMatchObject({ code, err: expect.stringContaining(text) as string });
  });
  it.each([
    ['a file that is not there', 'nowhere.trace.ndjson', 64],
    ['a file that is no trace', 'package.json', 5],
  ])('is not in %s', async (_, file, code) => {
    expect((await a2c([file, '--json'])).code).toBe(code);
  });
  it('is read as texts and as JSON', () => {
    expect(givenValues(['a.b=1=2', 'n:=3', 'empty='])).toEqual({ 'a.b': '1=2', n: 3, empty: '' });
  });
  it('leaves no server behind after Ctrl-C', async () => {
    const aborter = new AbortController();
    const onMeter = (step: string): void => {
      if (step.startsWith('request 4')) aborter.abort();
    };
    const { code } = await a2c([hung], { onMeter, signal: aborter.signal });
    expect(code).toBe(130);
  });
});

describe('answers of the same shape', () => {
  it.each([
    ['other values', { a: 1, b: 'x' }, { a: 2, b: '' }, []],
    ['more fields', { a: 1 }, { a: 1, b: 2 }, []],
    ['a field that is gone', { a: { b: 1 } }, { a: {} }, ['a.b is missing']],
    ['another kind', { a: [{ b: 1 }] }, { a: [{ b: '1' }] }, ['a.*.b is string, was number']],
    ['another length', [1, 2, 3], [1], []],
    ['no elements any more', [{ a: 1 }], [], []],
    ['something hidden', { a: '«redacted:0f»' }, { a: 7 }, []],
    ['nothing at all', 7, null, [' is null, was number']],
  ])('are judged: %s', (_, recorded, now, differences) => {
    const found = resultDifferences('tools/call', recorded, now, false);
    expect(found.map(({ path, text }) => `${path.join('.')} ${text}`)).toEqual(differences);
  });
  it('are judged by value where that is asked for', () => {
    const found = resultDifferences('tools/call', { a: 1, b: '«redacted:0f»' }, { a: 2, b: 'x' }, true);
    expect(found).toEqual([{ path: ['a'], text: 'is 2, was 1' }]);
  });
  const tool = (name: string, type = 'string') => ({ name, inputSchema: { properties: { a: { type } } } });
  it.each([
    ['other words about a tool', [{ ...tool('a'), description: 'x' }], []],
    ['a tool that is gone', [], ['tools.a has left the list']],
    ['a new tool', [tool('a'), tool('b')], ['tools.b is new in the list']],
    [
      'another schema',
      [tool('a', 'number')],
      ['tools.a.inputSchema.properties.a.type is "number", was "string"'],
    ],
  ])('are judged in a list of tools: %s', (_, tools, differences) => {
    const found = resultDifferences('tools/list', { tools: [tool('a')] }, { tools }, false);
    expect(found.map(({ path, text }) => `${path.join('.')} ${text}`)).toEqual(differences);
  });
});

const failure = (code: number | string, message: string, details = {}) =>
  ({ code, message, details }) as never;
const seen = (answer: Parameters<typeof seenOf>[1]): Seen => seenOf('tools/call', answer);
const result = (...texts: string[]) => ({ content: texts.map((text) => ({ type: 'text', text })) });
const good = (text: string): Seen => seen({ type: 'result', result: result(text) });
const empty = seen({ type: 'result', result: result() });
const bad = (text: string): Seen => seen({ type: 'result', result: { ...result(text), isError: true } });
const rpc = (code: number, message: string): Seen =>
  seen({ type: 'error', failure: failure(4003, message, { code }) });
const silent = (ms: number): Seen => seen({ type: 'timedOut', ms });
const cut = seen({ type: 'withdrawn', ms: 800 });
const open = seen({ type: 'none' });
const unread = seen({ type: 'unread', failure: failure(4003, 'neither') });
const rules: Rules = { exact: false, ignore: [] };
const rowOf = (was: Seen, isFailure: boolean, more: Partial<Row> = {}): Row => ({
  ...{ what: 'request', s: 9, answeredAt: 10, t: 0, endedAt: 1, session: 0 },
  ...{ method: 'tools/call', params: {}, req: undefined, wanted: [], was, isFailure },
  ...more,
});

describe('one answer beside the recorded one', () => {
  const death = (code: number, text: string): Seen => ({
    kind: 'death',
    text: `it ended with exit code ${code}; stderr: ${text}`,
  });
  const died = death(3, 'no orders of 4711 in /srv/a/b.js:12');
  it.each([
    ['the same death at another place', died, death(3, 'no orders of 12 in /ci/c.js:9'), 'red'],
    ['a death with another code', died, death(4, 'no orders of 4711 in /srv/a/b.js:12'), 'other'],
    ['a death with another reason', died, death(3, 'out of memory'), 'other'],
    ['a death without a known reason', died, seen({ type: 'lost' }), 'red'],
    ['a death that became an error of the tool', died, bad('no orders'), 'other'],
    ['a death that became an error of the protocol', died, rpc(-32_603, 'no orders'), 'other'],
    ['a death that became silence', died, silent(60_000), 'other'],
    ['a death that became neither result nor error', died, unread, 'other'],
    ['a death that became an answer', died, good('0'), 'green'],
    ['silence again', silent(1_500), silent(1_500), 'red'],
    ['silence that became an error', silent(1_500), rpc(-32_603, 'locked'), 'other'],
    ['a death that became an empty answer', died, empty, 'unsure'],
    ['a death that became an empty text', died, good(''), 'unsure'],
    ['an error that is not marked as one', bad('Error: no route'), good('Error: no route'), 'other'],
    ['an error of the protocol in a text', rpc(-32_603, 'no route'), good('Failed: no route'), 'other'],
    ['an error with other numbers', bad('port 80 is taken'), bad('port 81 is taken'), 'red'],
    ['an error in other words', bad('no route to bank'), bad('KeyError'), 'other'],
    ['an error with another code', rpc(-32_602, 'x'), rpc(-32_603, 'x'), 'other'],
    ['an error that moved from the tool to the protocol', bad('x'), rpc(-32_603, 'x'), 'other'],
    ['neither result nor error again', unread, unread, 'red'],
    ['neither result nor error that became a death', unread, died, 'other'],
  ] as const)('is judged when it is a failure: %s', (_, was, now, verdict) => {
    expect(judge({ row: rowOf(was, true), now }, rules).verdict).toBe(verdict);
  });
  it.each([
    ['a death', good('7'), died, 'other'],
    ['an error', good('7'), bad('x'), 'other'],
    ['another value', good('7'), good('8'), 'green'],
    ['nothing in place of a text', good('7'), empty, 'other'],
    ['nothing as before', empty, good(''), 'green'],
    ['an error as ever, which the trace was not written for', bad('x'), bad('x'), 'green'],
    ['another error in its place', bad('x'), bad('y'), 'other'],
    ['silence, where the caller did not wait either', cut, silent(800), 'unsure'],
    ['an answer, where the caller did not wait', cut, good('7'), 'green'],
    ['an error, where the recording ends before', open, bad('x'), 'other'],
    ['nothing, because it was not sent', good('7'), { kind: 'unasked', text: 'no' }, 'unsure'],
  ] as const)('is judged when it is an answer: %s', (_, was, now, verdict) => {
    expect(judge({ row: rowOf(was, false), now }, rules).verdict).toBe(verdict);
  });
  it('is not believed to be mended when it came too late to race', () => {
    const row = rowOf(bad('locked'), true);
    expect(judge({ row, now: good('7'), missed: 5 }, rules)).toMatchObject({ verdict: 'unsure' });
  });
  it('is unsure where the server had asked its host', () => {
    const row = rowOf(good('7'), false, { asked: 'elicitation/create' });
    expect(judge({ row, now: bad('nobody answers') }, rules)).toMatchObject({ verdict: 'unsure' });
  });
  it.each([
    ['a result that is none', []],
    ['content that is no list', { content: '7' }],
    ['a text without a text', { content: [{ type: 'text' }] }],
    ['an image without its type', { content: [{ type: 'image', data: 'AA==' }] }],
    ['a result without its structure', { content: [] }],
    ['a structure of another kind', { content: [], structuredContent: { n: 'x' } }],
  ])('is a failure although it is a result: %s', (_, result) => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    expect(seenOf('tools/call', { type: 'result', result }, { outputSchema })).toMatchObject({
      kind: 'malformed',
    });
  });
});
