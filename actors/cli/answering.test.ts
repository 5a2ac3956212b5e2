import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import { terminalOver } from '../e2e/terminal-over.ts';
import { confirmBy, inputsAt, yesOrNo } from './answering.ts';
import { fillIn, readField } from './form.ts';

/** Terminal whose person gives these answers one after the other; null is Ctrl-C. */
function personWith(answers: readonly (string | null)[]) {
  const left = [...answers];
  const said: string[] = [];
  const asked: string[] = [];
  const hidden: boolean[] = [];
  const terminal = {
    isInteractive: true,
    err: (text: string) => said.push(text),
    errText: (text: string) => said.push(text),
    question: async (text: string, _: AbortSignal, { isSecret = false } = {}) => {
      asked.push(text);
      hidden.push(isSecret);
      return left.shift() ?? null;
    },
  } as unknown as Terminal;
  return { terminal, said, asked, hidden };
}
const { signal } = new AbortController();
const noChoice = 'must be a number from 1 to 2, or one of these names';
const colour = { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] };
const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    age: { type: 'integer', minimum: 18 },
    colour: { ...colour, default: 'g' },
    news: { type: 'boolean', default: false },
    pets: { type: 'array', items: { type: 'string', enum: ['cat', 'dog'] }, minItems: 1 },
  },
  required: ['name', 'pets'],
};
const fill = async (answers: readonly (string | null)[]): Promise<object> => {
  const { terminal } = personWith(answers);
  return fillIn(terminal, 'shop', { message: 'Who?', requestedSchema: schema }, signal);
};

describe('a form of a server', () => {
  it('a form is asked field by field; an empty answer means the default, or nothing', async () => {
    expect(await fill(['', 'Ada', '', '', 'y', '1,dog'])).toEqual({
      action: 'accept',
      content: { name: 'Ada', colour: 'g', news: true, pets: ['cat', 'dog'] },
    });
  });

  it('a form asks again for what does not fit, and says what does', async () => {
    const answers = ['y', 'A', '', 'Ada', '7', '18', 'blue', '1', 'maybe', 'n', '', '2'];
    const { terminal, said } = personWith(answers);
    const answer = await fillIn(terminal, 'shop', { message: 'Who?', requestedSchema: schema }, signal);
    const content = { name: 'Ada', age: 18, colour: 'r', news: false, pets: ['dog'] };
    expect(answer).toMatchObject({ content });
    const wrong = ['must NOT have fewer than 2 characters', 'must be >= 18', 'must be boolean', noChoice];
    for (const expected of wrong) expect(said).toContain(`it ${expected}`);
    expect(said).toContain('  2  Green');
    expect(said[0]).toBe('server shop asks: Who?');
  });

  it.each([
    ['no', ['n'], { action: 'decline' }],
    ['Ctrl-C at once', [null], { action: 'cancel' }],
    ['Ctrl-C in the middle', ['y', 'Ada', null], { action: 'cancel' }],
  ])('is answered with %s', async (_what, answers, answer) => {
    expect(await fill(answers)).toEqual(answer);
  });

  it.each([
    ['a@b.org', { type: 'string', format: 'email' }, { value: 'a@b.org' }],
    ['a', { type: 'string', format: 'email' }, 'must match format "email"'],
    ['2026-01-31', { type: 'string', format: 'date' }, { value: '2026-01-31' }],
    ['x', { type: 'string', format: 'uri' }, 'must match format "uri"'],
    ['1.5', { type: 'integer' }, 'must be integer'],
    ['1e3', { type: 'number' }, { value: 1000 }],
    ['Big', { oneOf: [{ const: 'b', title: 'Big' }] }, { value: 'b' }],
    ['a, b', { type: 'array', items: { type: 'string' }, maxItems: 1 }, 'must NOT have more than 1 items'],
    ['2', { oneOf: [{ const: 2, title: 'Two' }] }, { value: 2 }],
    ['Two', { oneOf: [{ const: 2, title: 'Two' }] }, { value: 2 }],
    ['x', { type: 'string', maxLength: 0 }, 'must NOT have more than 0 characters'],
  ])('takes %s for %j as it is meant', (text, field, read) => {
    expect(readField(text, field)).toEqual(read);
  });
});

describe('an input of the config', () => {
  const ask = (definition: object, answers: readonly (string | null)[]) => {
    const person = personWith(answers);
    const answer = inputsAt(person.terminal, {}).then((input) => input?.({ ...definition, signal } as never));
    return { ...person, answer };
  };
  const text = { type: 'promptString', id: 'token', description: 'A token', default: null, password: true };
  const pick = { type: 'pickString', id: 'x', description: 'Where', options: ['eu', 'us'], default: 'eu' };

  it('an input is asked for by its description; Ctrl-C is no answer', async () => {
    const asked = ask(text, ['s3cret']);
    expect(await asked.answer).toBe('s3cret');
    expect(asked.asked).toEqual(['A token: ']);
    expect(await ask({ ...text, default: 'x' }, [null]).answer).toBeUndefined();
    const preset = ask({ ...text, default: 'x' }, ['']);
    await preset.answer;
    expect(preset.asked).toEqual(['A token [default]: ']);
  });

  it.each([
    ['a password', text, true],
    ['a text whose id reads like a secret', { ...text, id: 'api_key', password: false }, true],
    ['another text', { ...text, id: 'name', password: false }, false],
  ])(
    'hides what is typed for it, and its default, where it is secret: %s',
    async (_, definition, isSecret) => {
      const asked = ask({ ...definition, default: 'x' }, ['typed']);
      expect(await asked.answer).toBe('typed');
      expect(asked.asked).toEqual([`A token [${isSecret ? 'default' : 'x'}]: `]);
      expect(asked.hidden).toEqual([isSecret]);
    },
  );

  it('an option of an input is picked by its number or value; another answer is asked for again', async () => {
    const asked = ask(pick, ['3', 'mars', '2']);
    expect(await asked.answer).toBe('us');
    expect(asked.said).toEqual(['  1  eu', '  2  us', `it ${noChoice}`, `it ${noChoice}`]);
    expect(await ask(pick, ['us']).answer).toBe('us');
    expect(await ask({ ...pick, labels: { us: 'America' } }, ['America']).answer).toBe('us');
    expect(await ask(pick, ['']).answer).toBeUndefined();
  });

  it('an input is not asked for where nobody can answer, or where a command gives it', async () => {
    expect(await inputsAt({ isInteractive: false } as Terminal, {})).toBeUndefined();
    const command = { type: 'command', id: 'x', description: '', command: 'y', args: null };
    expect(await ask(command, ['z']).answer).toBeUndefined();
  });
});

const question = {
  ...{ reqId: 'r', agent: 'bob', server: 'fs', tool: 'write', title: 'Write', annotations: null },
  arguments: { path: 'a' },
};

it('the question to a person says which agent wants what, and that it is no longer open, and why', async () => {
  const { terminal, told } = terminalOver({ isTerminal: true });
  const over = terminal.prompt(
    '> ',
    async () => 'again',
    () => 'over',
  );
  const confirm = confirmBy('ask', terminal);
  const aborter = new AbortController();
  const answer =
    typeof confirm === 'function' ? confirm({ ...question, signal: aborter.signal }) : 'not asked';
  aborter.abort(new Error('The question is no longer open: its time, 5 s, is over'));
  expect(await answer).toBe('deny');
  expect(told.all).toContain('agent bob wants to run write of fs: {"path":"a"}\n');
  expect(told.all).toContain('  its server calls it "Write"\n');
  expect(told.all).toContain('write of fs: The question is no longer open: its time, 5 s, is over\n');
  terminal.close();
  await over;
});

async function answered(answers: readonly (string | null)[], preset: boolean) {
  const { terminal, asked, said } = personWith(answers);
  const answer = await yesOrNo(terminal, 'run it?', signal, preset);
  return { answer, asked, said };
}

it.each([
  ['y', true],
  [' YES ', true],
  ['n', false],
  ['No', false],
  [null, null],
] as const)('the answer %j is understood', async (typed, answer) => {
  for (const preset of [true, false])
    expect(await answered([typed], preset)).toEqual({ answer, asked: [expect.any(String)], said: [] });
});
it.each([true, false])('an empty answer is %s where the question says so', async (preset) => {
  const { answer, asked } = await answered([''], preset);
  expect([answer, ...asked]).toEqual([preset, preset ? 'run it? [Y/n] ' : 'run it? [y/N] ']);
});
it.each(['maybe', 'cancel', 'nope', 'yeah', '1', 'ja'])(
  'the question is asked again after %s',
  async (typed) => {
    for (const preset of [true, false]) {
      const { answer, asked, said } = await answered([typed, 'n'], preset);
      expect([answer, asked.length, said]).toEqual([false, 2, [`'${typed}' is neither yes nor no`]]);
    }
  },
);
