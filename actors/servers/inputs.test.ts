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
  ...({ type: 'command', id: 'rev', description: '', command: 'git', args: null, isForeign: true } as const),
};
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
const resolved = (id: string, options: ConstructorParameters<typeof Inputs>[0]) =>
  new Inputs(options).resolve(id);
const said = (value: unknown) => (): Promise<unknown> => Promise.resolve(value);
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
    const environment = { A2C_SMCP_t: 'written', A2C_SMCP_T: 'upper' };
    expect(await resolved('t', { definitions, environment })).toEqual(found('written'));
    // An empty variable counts as unset.
    const empty = { ...environment, A2C_SMCP_t: '' };
    expect(await resolved('t', { definitions, environment: empty })).toEqual(found('upper'));
    // The environment can give a value also for an input without a definition.
    expect(await resolved('t', { environment })).toEqual(found('written'));
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
    const inputs = new Inputs({ definitions, ask: async ({ id }) => (id === 'c' ? undefined : '') });
    expect(await inputs.resolve('a')).toEqual(found('d'));
    expect(await inputs.resolve('b')).toEqual(found(''));
    expect(await inputs.resolve('region')).toEqual(found('us'));
    expect(await inputs.resolve('c')).toEqual(notFound('nobody gave a value, and A2C_SMCP_c is not set'));
  });

  it('is a secret for a password, its default too, and so is one whose id says so', async () => {
    const definitions = [prompt('p', { password: true, default: 'hidden' }), prompt('api_key'), prompt('n')];
    expect(await resolved('p', { definitions, ask: said(undefined) })).toEqual(found('hidden', true));
    const environment = { A2C_SMCP_api_key: 'k', A2C_SMCP_p: 'v' };
    expect(await resolved('api_key', { definitions, environment })).toEqual(found('k', true));
    expect(await resolved('p', { definitions, environment })).toEqual(found('v', true));
  });

  it('is one of the options where it is to be picked, wherever it comes from', async () => {
    const definitions = [pick('r', 'asia')];
    const [answer, variable] = ['the answer', 'A2C_SMCP_R'].map((what) =>
      notFound(`${what} is none of its options`),
    );
    expect(await resolved('r', { definitions, ask: said('africa') })).toEqual(answer);
    expect(await resolved('r', { definitions, environment: { A2C_SMCP_R: 'x' } })).toEqual(variable);
    expect(new Inputs({ definitions }).setValue('r', 'x')).toBe(false);
    expect(await resolved('r', { definitions, ask: said('us') })).toEqual(found('us'));
  });

  it('cannot be had for a command of VS Code, unless the environment or somebody gives it', async () => {
    const definitions = [command];
    const none = notFound('it is a command of VS Code, which is not run here, and A2C_SMCP_rev is not set');
    const run = () => expect.unreachable('it was run');
    expect(await resolved('rev', { definitions, run })).toEqual(none);
    expect(await resolved('rev', { definitions, ask: said(undefined) })).toEqual(none);
    expect(await resolved('rev', { definitions, ask: said('1f') })).toEqual(found('1f', true));
    expect(await resolved('rev', { environment: { A2C_SMCP_rev: '2e' } })).toEqual(found('2e'));
  });
  describe('the value of an input from a command', () => {
    const inputs = (line: string, args: Readonly<Record<string, string>> | null = null): Inputs =>
      inputsOf([{ ...command, command: line, args, isForeign: false }], () => expect.unreachable('asked'));
    it('is what the shell writes, without blanks around it', async () => {
      expect(await inputs('echo hello').resolve('rev')).toEqual(found('hello', true));
      // `cmd.exe` leaves quotes to the program, and its `echo` writes them.
      const [words, json] = isWindows ? [`"one" "it's; $HOME"`, '{"a":1}'] : ["one it's; $HOME", '{a:1}'];
      const args = { b: "it's; $HOME", a: 'one' };
      expect(await inputs('echo', args).resolve('rev')).toEqual(found(words, true));
      expect(await inputs('echo {"a":1}').resolve('rev')).toEqual(found(json, true));
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
      const both = await Promise.all([all.resolve('rev'), all.resolve('rev')]);
      expect(both).toEqual([found('1', true), found('1', true)]);
      expect(all.clearValue('rev')).toBe(true);
      expect([await all.resolve('rev'), lines]).toEqual([found('2', true), ['git', 'git']]);
    });
  });

  it('cannot be had when asking fails, for the reason that it failed, and is asked for again', async () => {
    const throwing = (): never => {
      throw new Error('no window');
    };
    const refusing = () => Promise.reject(new Error('the person said no'));
    const answers = [refusing, throwing, said(1n), said('at last')];
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
    expect(new Set(inputs.definitions().map(({ id }) => id))).toEqual(new Set(['c', 'd', 'e']));
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
