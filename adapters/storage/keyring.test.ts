import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The keyring of this system; on Linux one of our own (gnome-keyring in a session bus of its own). */
const has = (command: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`]);
    return true;
  } catch {
    return false;
  }
};
const isThere = process.platform === 'linux' && has('dbus-run-session') && has('gnome-keyring-daemon');
const module = fileURLToPath(new URL('../../dist/adapters/storage/keyring.js', import.meta.url));
const run = (code: string): string => {
  const script = `import(${JSON.stringify(module)}).then(async ({ openKeyring }) => { ${code} }).catch((error) => console.log(error.message))`;
  const node = [process.execPath, '-e', script];
  const unlocked =
    'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"';
  const args = ['--', 'sh', '-c', unlocked, 'sh', ...node];
  return execFileSync('dbus-run-session', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
};

it.skipIf(!isThere)('keeps, gives and forgets a text, each under its name', () => {
  const code = `
    const store = await openKeyring('a2c-actors-test');
    const told = [await store.get('a')];
    await store.set('a', 's3cret'); await store.set('b', 'other');
    told.push(await store.get('a'), await store.remove('a'), await store.remove('a'), await store.get('a') ?? null, await store.get('b'));
    await store.remove('b');
    console.log(JSON.stringify(told));`;
  expect(JSON.parse(run(code))).toEqual([null, 's3cret', true, false, null, 'other']);
});
