import { launchConfigOf } from './launch-config.ts';
import type { OwnFacts } from './foreign/protocol.ts';
import type { ServerConfig } from './server.ts';

/** A text with its length before it: what is written one after the other can be read in one way only. */
const part = (text: string): string => `${text.length}:${text}`;
const list = (texts: readonly string[]): string => `${texts.length}[${texts.map(part).join('')}]`;

type Pair = readonly [name: string, value: string];
const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const pairs = (entries: readonly Pair[]): string =>
  list(entries.toSorted(([a, x], [b, y]) => order(a, b) || order(x, y)).flat());

/** With its type: 1 is not "1". */
const factText = (fact: OwnFacts[string]): string => {
  if (typeof fact !== 'object') return JSON.stringify(fact);
  return Array.isArray(fact) ? `l${list(fact)}` : `m${pairs(Object.entries(fact))}`;
};

/**
 * One text for the launch config of a server as its config has them, before inputs are filled in. Two servers have
 * the same exactly when they would be started or reached in the same way: the order of `env` and `headers` and the
 * case of header names mean nothing, an absent `env` is an empty one, and name, policy and settings are not in it.
 * An in-memory server is picked by its name, which therefore is a launch fact of it.
 */
export const fingerprintText = (server: ServerConfig): string => {
  const facts = launchConfigOf(server);
  switch (facts.kind) {
    case 'stdio': {
      const { kind, command, args, env, cwd, envFile } = facts;
      const folder = list(cwd === null ? [] : [cwd]);
      const file = envFile === undefined ? '' : part(envFile);
      return [part(kind), part(command), list(args), pairs(Object.entries(env)), folder, file].join('');
    }
    case 'sse':
    case 'streamable': {
      const { kind, url, headers, oauth, ca } = facts;
      const lowered = Object.entries(headers).map(([name, value]): Pair => [name.toLowerCase(), value]);
      const trusted = ca === undefined ? '' : part(ca);
      const login = Object.entries(oauth ?? {}).map(([name, value]): Pair => [name, String(value)]);
      return [part(kind), part(url), pairs(lowered), login.length > 0 ? pairs(login) : '', trusted].join('');
    }
    case 'inmemory': {
      const { kind, args, env } = facts;
      return [part(kind), part(server.name), list(args), pairs(Object.entries(env))].join('');
    }
    case 'own': {
      const written = Object.entries(facts.facts).map(([name, fact]): Pair => [name, factText(fact)]);
      return [part(facts.kind), part(facts.type), pairs(written)].join('');
    }
  }
};
