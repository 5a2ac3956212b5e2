import type { SecretStore } from '../../../adapters/index.ts';
import type { AskInput } from './inputs.ts';

/** Where passwords are kept from one run to the next. */
export interface KeptPasswords {
  /** Opened when the first password is wanted; rejects where there is none. */
  open(): Promise<SecretStore>;
  /** What the names of entries begin with, so that two configs may have an input of one id. */
  readonly scope: string;
  /** Hears why a password is not kept, once. */
  notice(text: string): void;
}

/**
 * Asks for an input, but for a password that is in the keyring. What somebody answers is kept there. When a password is wanted
 * a second time, the first one was refused or forgotten: then somebody is asked.
 */
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
  return async (definition, how) => {
    if (definition.type !== 'promptString' || !definition.password) return ask?.(definition, how);
    const name = `${scope}#${definition.id}`;
    const isFirst = !given.has(name);
    given.add(name);
    const known = isFirst ? await tried((kept) => kept.get(name)) : undefined;
    if (known !== undefined) return known;
    const answer = await ask?.(definition, how);
    if (typeof answer === 'string' && answer !== '') await tried((kept) => kept.set(name, answer));
    return answer;
  };
}
