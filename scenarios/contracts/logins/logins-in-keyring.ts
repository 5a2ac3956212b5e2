// Prints a JSON line with each case, the reason where it failed, and the number of files beside the keyring.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedLogins } from '../../../adapters/oauth/login-store.ts';
import { openKeyring } from '../../../adapters/storage/keyring.ts';
import { loginsContract } from './logins.contract.ts';

const said: { title: string; why?: string }[] = [];
let files = 0;
const open = () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2c-logins-'));
  const store = () => sharedLogins(folder, () => openKeyring('a2c-actors-test'));
  return Promise.resolve({
    store: store(),
    other: store(),
    [Symbol.asyncDispose]: () => {
      files += readdirSync(folder, { recursive: true }).filter((name) =>
        String(name).endsWith('.json'),
      ).length;
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    },
  });
};
for (const { title, run } of loginsContract(open)) {
  const why = await run().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  said.push({ title, ...(why !== undefined && { why }) });
}
process.stdout.write(`${JSON.stringify({ said, files })}\n`);
