import { launchConfigOf } from './launch-config.ts';
import type { ServerConfig } from './server.ts';

/**
 * What peers of 0.3 and later know a server by (a2c-wire §6.6): what its config says, else its name in the letters that
 * are allowed, else, where nothing of that is left, a hash of how it is reached.
 */
export const bundleNameOf = ({ bundleId, name }: ServerConfig): string | undefined =>
  bundleId ?? (normalised(name) || undefined);

/** Runs of what is not allowed become one `_`; ends are trimmed. Each code point counts once. */
const normalised = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_-]/gu, '_')
    .replace(/_+/g, '_')
    .replace(/^[_-]+|[_-]+$/g, '');

/** What the hash is made of, before placeholders are filled in: texts, lists, and maps by name. */
export type BundlePart = string | readonly string[] | Readonly<Record<string, string>>;
export function bundlePartsOf(server: ServerConfig): readonly BundlePart[] {
  const facts = launchConfigOf(server);
  switch (facts.kind) {
    case 'stdio':
      return [facts.kind, facts.command, facts.args, facts.env];
    case 'sse':
    case 'streamable':
      return [facts.kind, facts.url, facts.headers];
    case 'inmemory':
      return [facts.kind, server.name, facts.args, facts.env];
    // No other peer knows these.
    case 'own':
      return [facts.kind, facts.type, server.name];
  }
}
