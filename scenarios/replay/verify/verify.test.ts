import { afterAll, describe, expect, it } from 'vitest';
import type { CommandContext, Laboratory } from '../../../actors/cli/context.ts';
import { run } from '../../../actors/cli/run.ts';
import { customerCommand, recordedCustomers } from '../../fixtures/customers.ts';
import { pidsOf } from '../../fixtures/hosted.ts';
import { givenValues } from './hidden-values.ts';
import { answerDifferences } from './shape.ts';
import { verify } from './verify.ts';
import { verifyCommand } from './verify-command.ts';

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
afterAll(() => {
  for (const each of [died, hung, refused, booked]) each.remove();
});

interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
/** `a2c verify …`; `signal` is Ctrl-C, `onStep` hears what it does. */
async function a2c(
  argv: readonly string[],
  onStep = (_: string): void => {},
  signal?: AbortSignal,
): Promise<Told> {
  const told = { out: '', err: '' };
  const [out, err] = (['out', 'err'] as const).map((to) => (text: string) => void (told[to] += `${text}\n`));
  const terminal = {
    out,
    err,
    outText: out,
    errText: err,
    meter: (text: string | null) => text !== null && onStep(text),
  };
  const context = {
    terminal: terminal as unknown as CommandContext['terminal'],
    signal: signal ?? new AbortController().signal,
    laboratory: () => Promise.resolve({ verifyServer: verifyCommand } as Partial<Laboratory> as Laboratory),
  };
  return { code: await run(['verify', ...argv], context), ...told };
}
const sets = ['--yes', '--set', 'input.greeting=hello', '--set', 'arguments.password=4711-9922'];

describe('a recorded failure, against a real server', () => {
  it('is red while the server of the recorded config still dies', async () => {
    expect(await a2c([died.file])).toEqual({
      code: 1,
      err: '',
      out: expect.stringMatching(
        /^record \d+ {2}tools\/call report \{"customer":"Bolt"\}: answered\nrecord .*\nRED {2}'customers' {2}tools\/call report \{"customer":"ACME"\}\n {4}recorded: it ended with exit code 3; stderr: no such customer\n {4}now: .*exit code 3; stderr: no such customer\n$/,
      ) as string,
    });
  });
  it('names the error of a crash, and not the last line of its stderr', async () => {
    const crashed = await recordedCustomers('crash');
    const { verdict, failure } = await verify(crashed.file);
    crashed.remove();
    expect([verdict, failure.was]).toEqual([
      'red',
      expect.stringContaining('exit code 1; stderr: TypeError: customer has no orders'),
    ]);
  });
  it('is green when a mended one answers', async () => {
    const { code, out } = await a2c([died.file, '--', ...customerCommand('fine')]);
    expect({ code, last: out.trimEnd().split('\n').at(-1) }).toEqual({ code: 0, last: '    now: answered' });
  });
  it.each([
    ['a death that has become silence', died, 'hang', 'red', 'death'],
    ['a death that has become an error', died, 'error', 'green', 'death'],
    ['silence again', hung, 'hang', 'red', 'timeOut'],
    ['silence that has become a death', hung, 'die', 'red', 'timeOut'],
    ['silence that has ended', hung, 'fine', 'green', 'timeOut'],
    ['the same error', refused, 'error', 'red', 'error'],
    ['an error that is gone', refused, 'fine', 'green', 'error'],
  ] as const)('says of %s what it is', async (_, { file }, fault, verdict, kind) => {
    const report = await verify(file, { command: customerCommand(fault), timeoutMs: 500 });
    expect(report).toMatchObject({ verdict, server: 'customers', failure: { kind } });
  });
  it('is red where the server does not even start', async () => {
    const { verdict, failure } = await verify(died.file, {
      command: [process.execPath, '-e', 'process.exit(7)'],
    });
    expect(verdict).toBe('red');
    expect(failure.now).toMatch(/^it did not start: .*exit code 7/);
  });
  it('is red where the server dies before it comes to the request', async () => {
    const { verdict, answers } = await verify(died.file, { command: customerCommand('die', 'Bolt') });
    expect({ verdict, answers: answers.length }).toEqual({ verdict: 'red', answers: 1 });
  });
  it('tells of other answers that are others now', async () => {
    const { verdict, answers } = await verify(died.file, { command: customerCommand('changed') });
    expect(verdict).toBe('changed');
    expect(answers.map(({ differences }) => differences)).toEqual([
      ['structuredContent.pages is string, was number'],
      [],
    ]);
  });
});

describe('what a trace does not give', () => {
  it('is asked for before anything is started', async () => {
    const steps: string[] = [];
    const { code, err } = await a2c([booked.file], (step) => steps.push(step));
    expect({ code, steps }).toEqual({ code: 64, steps: [] });
    expect(err).toMatch(/hidden in the trace: give --set arguments\.password=… and --set input\.greeting=…/);
  });
  it('is no permission for calls that are not read-only', async () => {
    const { code, err } = await a2c([booked.file, ...sets.slice(1)]);
    expect(code).toBe(64);
    expect(err).toMatch(
      /not marked read-only, so it needs --yes: tools\/call book \{.*\} \(record \d+\); tools\/call book/,
    );
  });
  it('is used where it is given, and never shown', async () => {
    const { code, out } = await a2c([booked.file, ...sets, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'red', failure: { kind: 'death' } });
    expect(out).not.toContain('4711');
    expect(pidsOf('a2c-verify-booked')).toEqual([]);
  });
  it.each([
    ['no such server', ['--server', 'other'], 64, "no server 'other' in the trace, which has customers"],
    ['a value without a name', ['--set', 'x'], 64, '--set takes PATH=VALUE'],
    ['a value that is no JSON', ['--set', 'a:=x'], 64, '--set a:= takes JSON'],
  ])('is a wrong use: %s', async (_, argv, code, text) => {
    const told = await a2c([died.file, ...argv]);
    expect(told).toMatchObject({ code, err: expect.stringContaining(text) as string });
  });
  it.each([
    ['a file that is not there', 'nowhere.trace.ndjson', 64],
    ['a file that is no trace', 'package.json', 5],
  ])('is not in %s', async (_, file, code) => {
    expect((await a2c([file, '--json'])).code).toBe(code);
  });
  it('reads texts and JSON', () => {
    expect(givenValues(['a.b=1=2', 'n:=3', 'empty='])).toEqual({ 'a.b': '1=2', n: 3, empty: '' });
  });
  it('leaves no server behind after Ctrl-C', async () => {
    const aborter = new AbortController();
    const stop = (step: string): void => {
      if (step.startsWith('request 2')) aborter.abort();
    };
    const { code } = await a2c([hung.file], stop, aborter.signal);
    expect(code).toBe(130);
  });
});

describe('answers of the same shape', () => {
  it.each([
    ['other values', { a: 1, b: 'x' }, { a: 2, b: '' }, []],
    ['more fields', { a: 1 }, { a: 1, b: 2 }, []],
    ['a field that is gone', { a: { b: 1 } }, { a: {} }, ['a.b is missing']],
    ['another kind', { a: [{ b: 1 }] }, { a: [{ b: '1' }] }, ['a[].b is string, was number']],
    ['another length', [1, 2, 3], [1], []],
    ['no elements any more', [{ a: 1 }], [], []],
    ['something hidden', { a: '«redacted:0f»' }, { a: 7 }, []],
    ['nothing at all', 7, null, ['it is null, was number']],
  ])('are judged: %s', (_, recorded, now, differences) => {
    expect(answerDifferences(recorded, now, false)).toEqual(differences);
  });
  it('are judged by value where that is asked for', () => {
    expect(answerDifferences({ a: 1, b: '«redacted:0f»' }, { a: 2, b: 'x' }, true)).toEqual([
      'a has another value',
    ]);
  });
});
