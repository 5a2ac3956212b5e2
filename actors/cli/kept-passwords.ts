import { resolve } from 'node:path';
import { missingKeyring, openKeyring, type SecretStore } from '../../adapters/storage/keyring.ts';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import type { AskInput } from '../servers/inputs.ts';

interface KeptPasswords {
  /** Called when the first password is wanted; rejects where this machine has no such store. */
  open(): Promise<SecretStore>;
  /** Prefix for names of entries, so that two configs may have inputs with the same id. */
  readonly scope: string;
  notice(text: string): void;
}

/** A password wanted a second time was refused or forgotten, so the person is asked and not the keyring. */
export function keepingPasswords(
  ask: AskInput | undefined,
  { open, scope, notice }: KeptPasswords,
): AskInput {
  const given = new Set<string>();
  let opened: Promise<SecretStore | undefined> | undefined;
  const store = (): Promise<SecretStore | undefined> =>
    (opened ??= open().catch((error: unknown) => {
      notice(`passwords are not kept: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }));
  const tried = async <T>(work: (kept: SecretStore) => Promise<T>): Promise<T | undefined> => {
    const kept = await store();
    return kept && work(kept).catch((error: unknown) => void notice(`the keyring failed: ${String(error)}`));
  };
  return async (definition) => {
    if (definition.type !== 'promptString' || !definition.password) return ask?.(definition);
    const name = `${scope}#${definition.id}`;
    const isFirst = !given.has(name);
    given.add(name);
    const known = isFirst ? await tried((kept) => kept.get(name)) : undefined;
    if (known !== undefined) return known;
    const answer = await ask?.(definition);
    if (typeof answer === 'string' && answer !== '') await tried((kept) => kept.set(name, answer));
    return answer;
  };
}

/** `ask` where this machine has no keyring. */
export function keptBy(
  terminal: Terminal,
  ask: AskInput | undefined,
  config: string | readonly string[],
): AskInput | undefined {
  const missing = missingKeyring();
  if (missing !== undefined) {
    terminal.err(`passwords are not kept: ${missing}`);
    return ask;
  }
  return keepingPasswords(ask, {
    open: () => openKeyring('a2c-actors'),
    scope: [config]
      .flat()
      .map((file) => resolve(file))
      .join('\n'),
    notice: (text) => terminal.err(text),
  });
}
