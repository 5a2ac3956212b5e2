import type { Veil } from './canonical.ts';

/** Keyed: the same value has the same hash within a trace, and nobody without the key can try values out. */
export type KeyedHash = (text: string) => string;

const mark = (hash: string): string => `«redacted:${hash}»`;
/** What stands where a secret was. */
export const redacted = /«redacted:[0-9a-f]+»/;

const secretNames =
  /(^|_)(password|passwd|passphrase|secret|token|authorization|cookie|credentials?|bearer|(api|access|private|secret|signing)_?key)$/;
const harmless = /(^|_)(progress|page|next)_token$/;
const known = new Map<string, boolean>();

/** Whether what stands under this name is a secret, in any spelling: `apiKey`, `X-Api-Key`, `ACCESS_TOKEN`. */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // Keys of strangers are without end.
  if (known.size < 10_000) known.set(name, isSecret);
  return isSecret;
}

/** Secrets that tell themselves by their form, wherever they stand. The first group stays readable. */
const forms =
  /((?:bearer|basic)\s+)[\w.~+/=-]{8,}|\b(sk-)[\w-]{16,}|\b(gh[pousr]_)\w{20,}|\b(xox[abprs]-)[\w-]{10,}|\b(AKIA)[0-9A-Z]{16}|\b(eyJ)[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi;

const formCount = 7;
/** Secrets that one trace remembers; each costs a look at every text. */
const mostMet = 100;

/** A shorter one would be found everywhere. */
const shortest = 6;

/** The values among these that look like secrets, by their names: of environments, headers, `--token=…`. */
export function secretsIn(env: Readonly<Record<string, string>>, args: readonly string[] = []): string[] {
  const byName = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  const byFlag = args.flatMap((arg, at) => {
    const [, flag = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return flag !== '' && isSecretName(flag) ? [value ?? args[at + 1] ?? ''] : [];
  });
  return [...byName, ...byFlag].filter((value) => value.length >= shortest);
}

/**
 * Hides three kinds of secrets: what stands under a secret name, values that the host knows to be secret
 * wherever they appear, and what has the form of a key.
 */
export function veilOf(hash: KeyedHash, secrets: Iterable<string> = []): Veil {
  // What stood under a secret name is hidden from then on wherever it appears, in an error text for instance.
  const met = new Set<string>();
  return (text, key) => {
    if (redacted.test(text)) return text;
    if (text !== '' && isSecretName(key)) {
      if (text.length >= shortest && met.size < mostMet) met.add(text);
      return mark(hash(text));
    }
    let shown = text;
    for (const secret of [...secrets, ...met])
      if (secret.length >= shortest && shown.includes(secret))
        shown = shown.replaceAll(secret, mark(hash(secret)));
    return shown.replaceAll(forms, (found: string, ...groups: unknown[]) => {
      const start = groups.slice(0, formCount).find((group) => typeof group === 'string') ?? '';
      return start + mark(hash(found.slice(start.length)));
    });
  };
}
