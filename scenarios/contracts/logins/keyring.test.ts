import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { builtModule } from '../../fixtures/built-module.ts';
import { inKeyringSession } from './keyring-session.ts';

const module = builtModule('adapters/storage/keyring.ts');
const run = (code: string): string => {
  const script = `import(${JSON.stringify(module)}).then(async ({ openKeyring }) => { ${code} }).catch((error) => console.log(error.message))`;
  const node = [process.execPath, '-e', script];
  const [command, ...args] = inKeyringSession.wrap(node);
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
};

it.skipIf(!inKeyringSession.isThere)(
  'the keyring keeps, gives and forgets a text, each under its name',
  () => {
    const code = `
    const store = await openKeyring('a2c-actors-test');
    const told = [await store.get('a')];
    await store.set('a', 's3cret'); await store.set('b', 'other');
    told.push(await store.get('a'), await store.remove('a'), await store.remove('a'), await store.get('a') ?? null, await store.get('b'));
    await store.remove('b');
    console.log(JSON.stringify(told));`;
    expect(JSON.parse(run(code))).toEqual([null, 's3cret', true, false, null, 'other']);
  },
);
