import { describe, expect, it } from 'vitest';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import { deferred } from '../kernel/listeners.ts';
import { inputsOf } from '../api/computer.ts';
import { Inputs, variablesFor, type AskInput } from './inputs.ts';

const isWindows = process.platform === 'win32';
const prompt = (id: string, rest: Partial<InputDefinition> = {}) =>
  ({ type: 'promptString', id, description: '', default: null, password: false, ...rest }) as InputDefinition;
const pick = (id: string, byDefault: string | null = null): InputDefinition => ({
  ...{ type: 'pickString', id, description: '' },
  ...{ options: ['eu', 'us'], default: byDefault },
});
const command = {
  type: 'command',
  id: 'rev',
  description: '',
  command: 'git',
  args: null,
  isForeign: true,
} as const;
/** Fake person: each question waits until the test answers it. */
const asker = () => {
  const asked: { id: string; signal: AbortSignal; answer: ReturnType<typeof deferred<unknown>> }[] = [];
  const ask: AskInput = ({ id, signal }) => {
    const answer = deferred<unknown>();
    asked.push({ id, signal, answer });
    return answer.promise;
  };
  const question = (at: number) => asked[at] ?? expect.unreachable(`nobody asked ${at}`);
  return { asked, ask, question };
};
const found = (value: unknown, isSecret = false) => ({ ok: true, value, isSecret });
const notFound = (reason: string) => ({ ok: false, reason });

describe('the value of an input', () => {
  it('comes from the environment, then from what is known, then from who is asked, then from its default', async () => {
    const definitions = [prompt('a', { default: 'fallback' })];
    const environment: Record<string, string> = { A2C_SMCP_a: 'variable' };
    const { ask, question, asked } = asker();
    const all = new Inputs({ definitions, environment, ask });
    expect(all.setValue('a', 'known')).toBe(true);
    expect(await all.resolve('a')).toEqual(found('variable'));
    delete environment['A2C_SMCP_a'];
    expect(await all.resolve('a')).toEqual(found('known'));
    expect(all.clearValue('a')).toBe(true);
    expect(asked).toHaveLength(0);
    const wanted = all.resolve('a');
    question(0).answer.resolve('said');
    expect(await wanted).toEqual(found('said'));
    expect(await new Inputs({ definitions }).resolve('a')).toEqual(found('fallback'));
  });

  it('has a variable as its id is written, with _ for other characters, then in upper case', async () => {
    expect(variablesFor('Git hub.token')).toEqual(['A2C_SMCP_Git_hub_token', 'A2C_SMCP_GIT_HUB_TOKEN']);
    expect(variablesFor('A')).toEqual(['A2C_SMCP_A']);
    expect(variablesFor('é😀')).toEqual(['A2C_SMCP___']);
    const definitions = [prompt('t')];
    const both = { A2C_SMCP_t: 'written', A2C_SMCP_T: 'upper' };
    expect(await new Inputs({ definitions, environment: both }).resolve('t')).toEqual(found('written'));
    // An empty variable counts as unset.
    const empty = { A2C_SMCP_t: '', A2C_SMCP_T: 'upper' };
    expect(await new Inputs({ definitions, environment: empty }).resolve('t')).toEqual(found('upper'));
    // The environment can give a value also for an input without a definition.
    expect(await new Inputs({ environment: both }).resolve('t')).toEqual(found('written'));
  });

  it('is read from the real environment as it is at that moment', async () => {
    const inputs = new Inputs({ environment: process.env });
    expect(await inputs.resolve('inputs-test')).toMatchObject({ ok: false });
    process.env['A2C_SMCP_inputs_test'] = 'set';
    try {
      expect(await inputs.resolve('inputs-test')).toEqual(found('set'));
    } finally {
      delete process.env['A2C_SMCP_inputs_test'];
    }
    expect(inputs.variable('toString')).toBeUndefined();
  });

  it('is asked for once, by however many at the same time, and then known', async () => {
    const { ask, question, asked } = asker();
    const inputs = new Inputs({ definitions: [prompt('a'), prompt('b')], ask });
    const wanted = [inputs.resolve('a'), inputs.resolve('a'), inputs.resolve('b'), inputs.resolve('a')];
    expect(asked.map(({ id }) => id)).toEqual(['a', 'b']);
    question(1).answer.resolve({ deep: [1] });
    question(0).answer.resolve(42);
    expect(await Promise.all(wanted)).toEqual([found(42), found(42), found({ deep: [1] }), found(42)]);
    expect(await inputs.resolve('a')).toEqual(found(42));
    expect(asked).toHaveLength(2);
    expect(inputs.clearValue('a')).toBe(true);
    const again = inputs.resolve('a');
    question(2).answer.resolve('other');
    expect(await again).toEqual(found('other'));
  });

  it('is the default where nobody has an answer, or an empty one; without a default empty is empty', async () => {
    const definitions = [prompt('a', { default: 'd' }), prompt('b'), prompt('c'), pick('region', 'us')];
    const inputs = new Inputs({
      definitions,
      ask: ({ id }) => Promise.resolve(id === 'c' ? undefined : ''),
    });
    expect(await inputs.resolve('a')).toEqual(found('d'));
    expect(await inputs.resolve('b')).toEqual(found(''));
    expect(await inputs.resolve('region')).toEqual(found('us'));
    expect(await inputs.resolve('c')).toEqual(notFound('nobody gave a value, and A2C_SMCP_c is not set'));
  });

  it('is a secret for a password, its default too, and so is one whose id says so', async () => {
    const definitions = [prompt('p', { password: true, default: 'hidden' }), prompt('api_key'), prompt('n')];
    const inputs = new Inputs({ definitions, ask: () => Promise.resolve(undefined) });
    expect(await inputs.resolve('p')).toEqual(found('hidden', true));
    const known = new Inputs({ definitions, environment: { A2C_SMCP_api_key: 'k', A2C_SMCP_p: 'v' } });
    expect(await known.resolve('api_key')).toEqual(found('k', true));
    expect(await known.resolve('p')).toEqual(found('v', true));
  });

  it('is one of the options where it is to be picked, wherever it comes from', async () => {
    const definitions = [pick('r', 'asia')];
    const ask = () => Promise.resolve('africa');
    expect(await new Inputs({ definitions, ask }).resolve('r')).toEqual(
      notFound('the answer is none of its options'),
    );
    expect(await new Inputs({ definitions, environment: { A2C_SMCP_R: 'x' } }).resolve('r')).toEqual(
      notFound('A2C_SMCP_R is none of its options'),
    );
    expect(new Inputs({ definitions }).setValue('r', 'x')).toBe(false);
    expect(await new Inputs({ definitions, ask: () => Promise.resolve('us') }).resolve('r')).toEqual(
      found('us'),
    );
  });

  it('cannot be had for a command of VS Code, unless the environment or somebody gives it', async () => {
    const definitions = [command];
    const reason = 'it is a command of VS Code, which is not run here, and A2C_SMCP_rev is not set';
    const run = () => expect.unreachable('it was run');
    expect(await new Inputs({ definitions, run }).resolve('rev')).toEqual(notFound(reason));
    const ask = () => Promise.resolve(undefined);
    expect(await new Inputs({ definitions, ask }).resolve('rev')).toEqual(notFound(reason));
    expect(await new Inputs({ definitions, ask: () => Promise.resolve('1f') }).resolve('rev')).toEqual(
      found('1f', true),
    );
    expect(await new Inputs({ environment: { A2C_SMCP_rev: '2e' } }).resolve('rev')).toEqual(found('2e'));
  });
  describe('the value of an input from a command', () => {
    const inputs = (line: string, args: Readonly<Record<string, string>> | null = null): Inputs =>
      inputsOf([{ ...command, command: line, args, isForeign: false }], () => expect.unreachable('asked'));
    it('is what the shell writes, without blanks around it', async () => {
      expect(await inputs('echo hello').resolve('rev')).toEqual(found('hello', true));
      // `cmd.exe` leaves quotes to the program, and its `echo` writes them.
      expect(await inputs('echo', { b: "it's; $HOME", a: 'one' }).resolve('rev')).toEqual(
        found(isWindows ? `"one" "it's; $HOME"` : "one it's; $HOME", true),
      );
      expect(await inputs('echo {"a":1}').resolve('rev')).toEqual(
        found(isWindows ? '{"a":1}' : '{a:1}', true),
      );
    });
    it('cannot be had when the command fails', async () => {
      expect(await inputs(isWindows ? 'echo no>&2& exit 1' : 'echo no >&2; exit 1').resolve('rev')).toEqual(
        notFound('the command ended with exit code 1: no'),
      );
    });
    it('ends the command when nobody wants the value any more, or the computer closes', async () => {
      const all = inputs(`"${process.execPath}" -e "setInterval(() => {}, 1000)"`);
      const waits = all.resolve('rev');
      all.close();
      expect(await waits).toEqual(notFound('the computer is closed'));
    });
    it('is run once for all who want it at once, and again once it was cleared', async () => {
      const lines: string[] = [];
      const run = (line: string): Promise<string> => Promise.resolve(String(lines.push(line)));
      const all = new Inputs({ definitions: [{ ...command, isForeign: false }], run });
      expect(await Promise.all([all.resolve('rev'), all.resolve('rev')])).toEqual([
        found('1', true),
        found('1', true),
      ]);
      expect(all.clearValue('rev')).toBe(true);
      expect([await all.resolve('rev'), lines]).toEqual([found('2', true), ['git', 'git']]);
    });
  });

  it('cannot be had when asking fails, for the reason that it failed, and is asked for again', async () => {
    const answers = [
      () => Promise.reject(new Error('the person said no')),
      () => {
        throw new Error('no window');
      },
      () => Promise.resolve(1n),
      () => Promise.resolve('at last'),
    ];
    const definitions = [prompt('a', { default: 'never: somebody refused' })];
    const inputs = new Inputs({ definitions, ask: () => answers.shift()?.() ?? Promise.resolve(undefined) });
    expect(await inputs.resolve('a')).toEqual(notFound('the person said no'));
    expect(await inputs.resolve('a')).toEqual(notFound('no window'));
    expect(await inputs.resolve('a')).toEqual(notFound('the answer is no JSON'));
    expect(await inputs.resolve('a')).toEqual(found('at last'));
    expect(await inputs.resolve('x')).toEqual(notFound('the config does not define it'));
  });

  it('is a copy: a later change of the given one changes nothing', async () => {
    const given = { list: [1] };
    const inputs = new Inputs({ definitions: [prompt('a')], ask: () => Promise.resolve(given) });
    await inputs.resolve('a');
    given.list.push(2);
    expect(await inputs.resolve('a')).toEqual(found({ list: [1] }));
    let deep: unknown = 1;
    for (let level = 0; level < 3_000; level++) deep = [deep];
    expect(inputs.setValue('a', deep)).toBe(false);
  });
});

describe('a change of the inputs', () => {
  it('forgets one value only: that of the one that was added, changed or removed', async () => {
    const inputs = new Inputs({ definitions: [prompt('a'), prompt('b'), prompt('c')] });
    for (const id of ['a', 'b', 'c']) expect(inputs.setValue(id, id)).toBe(true);
    inputs.add(prompt('d'));
    inputs.add(prompt('a', { description: 'other' }));
    expect(inputs.remove('b')).toBe(true);
    expect(inputs.values()).toEqual([{ id: 'c', value: 'c' }]);
    inputs.setValue('d', 'd');
    // New definitions replace the whole list; an input whose definition did not change keeps its value.
    inputs.setDefinitions([prompt('c', { description: 'new' }), prompt('d'), prompt('e')]);
    expect(inputs.values()).toEqual([{ id: 'd', value: 'd' }]);
    expect(
      inputs
        .definitions()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['c', 'd', 'e']);
  });

  it('says false for what is not there', () => {
    const inputs = new Inputs({ definitions: [prompt('a')] });
    expect(inputs.setValue('x', 1)).toBe(false);
    expect(inputs.setValue('a', undefined)).toBe(false);
    expect(inputs.clearValue('a')).toBe(false);
    expect(inputs.clearValue()).toBe(false);
    expect(inputs.remove('x')).toBe(false);
    expect(inputs.values()).toEqual([]);
  });

  it('ends the question that is open, and nobody waits for its answer', async () => {
    const { ask, question } = asker();
    const inputs = new Inputs({ definitions: [prompt('a'), prompt('b'), prompt('c')], ask });
    const [a, b, c] = [inputs.resolve('a'), inputs.resolve('b'), inputs.resolve('c')];
    inputs.remove('a');
    inputs.add(prompt('b', { description: 'other' }));
    inputs.setValue('c', 'set');
    expect([0, 1, 2].map((at) => question(at).signal.aborted)).toEqual([true, true, true]);
    question(0).answer.resolve('too late');
    question(1).answer.reject(new Error('too late'));
    expect(await a).toEqual(notFound('it was removed while it was asked'));
    expect(await b).toEqual(notFound('it was changed while it was asked'));
    expect(await c).toEqual(found('set'));
    expect(inputs.values()).toEqual([{ id: 'c', value: 'set' }]);
    const again = inputs.resolve('b');
    question(3).answer.resolve('fresh');
    expect(await again).toEqual(found('fresh'));
  });

  it('ends all questions and asks no more when they are closed, and tells what they know', async () => {
    const { ask, question, asked } = asker();
    const inputs = new Inputs({ definitions: [prompt('a'), prompt('b')], ask });
    inputs.setValue('b', 1);
    const wanted = inputs.resolve('a');
    inputs.close();
    expect(question(0).signal.aborted).toBe(true);
    expect(await wanted).toEqual(notFound('the computer is closed'));
    expect(await inputs.resolve('a')).toEqual(notFound('the computer is closed'));
    expect(await inputs.resolve('b')).toEqual(found(1));
    expect(asked).toHaveLength(1);
  });
});

describe('a value that was set', () => {
  it('counts after a variable, before answers and questions, until it is cleared, set again or defined otherwise', async () => {
    const environment: Record<string, string> = {};
    const { ask, asked, question } = asker();
    const all = new Inputs({ definitions: [prompt('a', { default: 'd' })], environment, ask });
    const wanted = all.resolve('a');
    question(0).answer.resolve('typed');
    expect(await wanted).toEqual(found('typed'));
    expect(all.setValue('a', 'set')).toBe(true);
    for (const forget of [() => all.askAgain(['a']), () => all.forgetAnswers(['a'])]) {
      forget();
      expect(await all.resolve('a')).toEqual(found('set'));
      expect(await all.resolve('a', undefined, true)).toEqual(found('set'));
      expect(all.values()).toEqual([{ id: 'a', value: 'set' }]);
    }
    environment['A2C_SMCP_a'] = 'variable';
    expect(await all.resolve('a')).toEqual(found('variable'));
    delete environment['A2C_SMCP_a'];
    all.setDefinitions([prompt('a', { default: 'd' }), prompt('b')]);
    expect(await all.resolve('a')).toEqual(found('set'));
    expect(all.setValue('a', 'other')).toBe(true);
    expect(await all.resolve('a')).toEqual(found('other'));
    expect(asked).toHaveLength(1);
    all.setDefinitions([prompt('a')]);
    const again = all.resolve('a');
    question(1).answer.resolve('typed again');
    expect(await again).toEqual(found('typed again'));
    all.setValue('a', 'set');
    expect(all.clearValue('a')).toBe(true);
    void all.resolve('a');
    expect(asked).toHaveLength(3);
  });
});

describe('a question that is asked again', () => {
  it.each([
    ['no answer leaves the earlier one', () => Promise.resolve(undefined), found('first')],
    ['an empty answer is the default', () => Promise.resolve(''), found('d')],
    ['another answer counts', () => Promise.resolve('second'), found('second')],
    ['a refusal is final', () => Promise.reject(new Error('not now')), notFound('not now')],
  ])('%s', async (_, again, expected) => {
    for (const how of ['while it runs', 'at its start']) {
      const answers = [() => Promise.resolve<unknown>('first'), again];
      const ask: AskInput = () => answers.shift()?.() ?? expect.unreachable('asked once more');
      const all = new Inputs({ definitions: [prompt('a', { default: 'd' })], ask });
      await all.resolve('a');
      if (how === 'at its start') all.askAgain(['a']);
      expect(await all.resolve('a', undefined, how === 'while it runs')).toEqual(expected);
    }
  });
  it('leaves the earlier answer to all others while its server runs', async () => {
    const { ask, question } = asker();
    const all = new Inputs({ definitions: [prompt('a')], ask });
    const first = all.resolve('a');
    question(0).answer.resolve('one');
    await first;
    const again = all.resolve('a', undefined, true);
    expect(await all.resolve('a')).toEqual(found('one'));
    question(1).answer.reject(new Error('not now'));
    expect(await again).toEqual(notFound('not now'));
    expect(all.values()).toEqual([{ id: 'a', value: 'one' }]);
  });
});
