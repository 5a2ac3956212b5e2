import { describe, expect, it } from 'vitest';
import type { SecretStore } from '../../adapters/storage/keyring.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import { Inputs } from '../servers/inputs.ts';
import { keepingPasswords } from './kept-passwords.ts';

const password = (id: string): InputDefinition => ({
  ...{ type: 'promptString', id, description: '', default: null, password: true },
});
const plain: InputDefinition = { ...password('name'), password: false } as InputDefinition;
const inMemory = (kept: Map<string, string>): SecretStore => ({
  get: (name) => Promise.resolve(kept.get(name)),
  set: (name, value) => Promise.resolve(void kept.set(name, value)),
  remove: (name) => Promise.resolve(kept.delete(name)),
});
/** Simulates one run of a host whose person answers with the texts of `typed`. */
function run(kept: Map<string, string>, typed: string[], open = () => Promise.resolve(inMemory(kept))) {
  const notices: string[] = [];
  const asked: string[] = [];
  const ask = keepingPasswords(
    ({ id }) => {
      asked.push(id);
      return Promise.resolve(typed.shift());
    },
    { open, scope: '/a2c.json', notice: (text) => void notices.push(text) },
  );
  const inputs = new Inputs({ definitions: [password('token'), plain], ask });
  return { inputs, asked, notices };
}

describe('a password', () => {
  it('is asked for once, and is there in the next run', async () => {
    const kept = new Map<string, string>();
    const first = run(kept, ['s3cret']);
    expect(await first.inputs.resolve('token')).toMatchObject({ value: 's3cret', isSecret: true });
    expect([first.asked, [...kept]]).toEqual([['token'], [['/a2c.json#token', 's3cret']]]);
    const second = run(kept, []);
    expect(await second.inputs.resolve('token')).toMatchObject({ value: 's3cret', isSecret: true });
    expect(second.asked).toEqual([]);
  });

  it('is asked for again when it was refused, and the new one is kept', async () => {
    const kept = new Map([['/a2c.json#token', 'old']]);
    const { inputs, asked } = run(kept, ['new']);
    expect(await inputs.resolve('token')).toMatchObject({ value: 'old' });
    inputs.askAgain(['token']);
    expect(await inputs.resolve('token')).toMatchObject({ value: 'new' });
    expect([asked, [...kept.values()]]).toEqual([['token'], ['new']]);
  });

  it('is asked for where there is no keyring, which is said once', async () => {
    const { inputs, notices } = run(new Map(), ['a', 'b'], () => Promise.reject(new Error('no keyring')));
    expect(await inputs.resolve('token')).toMatchObject({ value: 'a' });
    inputs.askAgain(['token']);
    expect(await inputs.resolve('token')).toMatchObject({ value: 'b' });
    expect(notices).toEqual(['passwords are not kept: no keyring']);
  });
});

it('a value that is no password never reaches the keyring', async () => {
  const kept = new Map<string, string>();
  const { inputs } = run(kept, ['somebody']);
  expect(await inputs.resolve('name')).toMatchObject({ value: 'somebody', isSecret: false });
  expect([...kept]).toEqual([]);
});
