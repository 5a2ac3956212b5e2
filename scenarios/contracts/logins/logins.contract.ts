import assert from 'node:assert/strict';
import { loginKey, type LoginStore } from '../../../adapters/oauth/login-store.ts';
import { casesOf, type ContractCase, type Rule } from '../contract.ts';

export interface LoginsWorld {
  readonly store: LoginStore;
  /** For logins in memory: the same. */
  readonly other: LoginStore;
}
const key = loginKey('https://far.test/mcp');
const kept = (n: number) => ({ tokens: { access_token: `access-${n}`, token_type: 'Bearer' }, port: n });
const rule = (title: string, holds: Rule<LoginsWorld>['holds']): Rule<LoginsWorld> => ({ title, holds });

const rules = [
  rule('give nothing that was not kept', async ({ store }) => assert.deepEqual(await store.read(key), {})),

  rule('give what was kept, and the latest of it, to every host', async ({ store, other }) => {
    await store.change(key, () => Promise.resolve(kept(1)));
    assert.deepEqual(await other.read(key), kept(1));
    await other.change(key, (now) => Promise.resolve({ ...now, ...kept(2) }));
    assert.deepEqual(await store.read(key), kept(2));
  }),

  rule('keep a login as large as tokens become', async ({ store, other }) => {
    const large = { tokens: { access_token: 'x'.repeat(16_000), token_type: 'Bearer' } };
    await store.change(key, () => Promise.resolve(large));
    assert.deepEqual(await other.read(key), large);
  }),

  rule('keep one login apart from another', async ({ store }) => {
    const second = loginKey('https://far.test/mcp', 'client');
    await store.change(key, () => Promise.resolve(kept(1)));
    await store.change(second, () => Promise.resolve(kept(2)));
    assert.deepEqual([await store.read(key), await store.read(second)], [kept(1), kept(2)]);
  }),

  rule('are changed by one at a time', async ({ store, other }) => {
    await store.change(key, () => Promise.resolve(kept(0)));
    const count = (one: LoginStore): Promise<void> =>
      one.change(key, async (now) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { ...now, port: (now.port ?? 0) + 1 };
      });
    await Promise.all([store, other, store, other].map(count));
    assert.equal((await store.read(key)).port, 4);
  }),

  rule('stay as they are when a change fails, and can be changed again', async ({ store, other }) => {
    await store.change(key, () => Promise.resolve(kept(1)));
    await assert.rejects(
      store.change(key, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    await other.change(key, (now) => Promise.resolve({ ...now, port: 7 }));
    assert.deepEqual(await store.read(key), { ...kept(1), port: 7 });
  }),

  rule('forget what is forgotten', async ({ store, other }) => {
    await store.change(key, () => Promise.resolve(kept(1)));
    await other.change(key, () => Promise.resolve(undefined));
    assert.deepEqual(await store.read(key), {});
  }),
];

export const loginsContract = (open: () => Promise<LoginsWorld & AsyncDisposable>): readonly ContractCase[] =>
  casesOf({ logins: rules }, async ({ holds }) => {
    await using world = await open();
    await holds(world);
  });
