import { describe, expect, it } from 'vitest';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import { deferred } from '../kernel/listeners.ts';
import { Inputs, type AskInput } from './inputs.ts';

/** Tests which known input values are used again when their server is restarted. */
const prompt = (id: string, byDefault: string | null = null): InputDefinition => ({
  ...{ type: 'promptString', id, description: '', default: byDefault, password: false },
});
/** Fake person: each question waits until the test answers it. */
const asker = () => {
  const asked: ReturnType<typeof deferred<unknown>>[] = [];
  const ask: AskInput = () => {
    const answer = deferred<unknown>();
    asked.push(answer);
    return answer.promise;
  };
  const question = (at: number) => asked[at] ?? expect.unreachable(`nobody asked ${at}`);
  return { asked, ask, question };
};
const found = (value: unknown) => ({ ok: true, value, isSecret: false });
const notFound = (reason: string) => ({ ok: false, reason });

describe('a value that was set', () => {
  it('counts after a variable, before answers and questions, until it is cleared, set again or defined otherwise', async () => {
    const environment: Record<string, string> = {};
    const { ask, asked, question } = asker();
    const all = new Inputs({ definitions: [prompt('a', 'd')], environment, ask });
    const wanted = all.resolve('a');
    question(0).resolve('typed');
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
    all.setDefinitions([prompt('a', 'd'), prompt('b')]);
    expect(await all.resolve('a')).toEqual(found('set'));
    expect(all.setValue('a', 'other')).toBe(true);
    expect(await all.resolve('a')).toEqual(found('other'));
    expect(asked).toHaveLength(1);
    all.setDefinitions([prompt('a')]);
    const again = all.resolve('a');
    question(1).resolve('typed again');
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
      const all = new Inputs({ definitions: [prompt('a', 'd')], ask });
      await all.resolve('a');
      if (how === 'at its start') all.askAgain(['a']);
      expect(await all.resolve('a', undefined, how === 'while it runs')).toEqual(expected);
    }
  });
  it('leaves the earlier answer to all others while its server runs', async () => {
    const { ask, question } = asker();
    const all = new Inputs({ definitions: [prompt('a')], ask });
    const first = all.resolve('a');
    question(0).resolve('one');
    await first;
    const again = all.resolve('a', undefined, true);
    expect(await all.resolve('a')).toEqual(found('one'));
    question(1).reject(new Error('not now'));
    expect(await again).toEqual(notFound('not now'));
    expect(all.values()).toEqual([{ id: 'a', value: 'one' }]);
  });
});
