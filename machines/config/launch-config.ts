import { addMistake, check, mistakeLine, type Findings, type Mistake, type Path } from './mistake.ts';
import type { OwnFacts, OwnType } from './foreign/protocol.ts';
import { oauthSchema, type OAuth } from './oauth.ts';
import { isHttpUrl, isSocketUrl, noSockets, serverSchemas, type ServerConfig } from './server.ts';
import { isObject } from '../protocol/json.ts';

type Texts = Readonly<Record<string, string>>;
/**
 * What a server is started or reached with, and nothing else of its config. Only in here are placeholders filled
 * in, and only a change in here means another process or connection.
 */
export type LaunchConfig =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Texts;
      readonly cwd: string | null;
      readonly envFile?: string;
    }
  | {
      readonly kind: 'sse' | 'streamable';
      readonly url: string;
      readonly headers: Texts;
      /** Absent: the server is logged in to as it says itself. */
      readonly oauth?: OAuth;
      /** A file of certificates. */
      readonly ca?: string;
    }
  | { readonly kind: 'inmemory'; readonly args: readonly string[]; readonly env: Texts }
  | { readonly kind: 'own'; readonly type: OwnType; readonly facts: OwnFacts };

/** As they stand in the config, placeholders and all. */
export const launchConfigOf = (server: ServerConfig): LaunchConfig => {
  switch (server.kind) {
    case 'stdio': {
      const { command, args, env, cwd, envFile } = server.launch;
      const file = envFile !== undefined && { envFile };
      return { kind: 'stdio', command, args, env: env ?? {}, cwd, ...file };
    }
    case 'sse':
    case 'streamable': {
      const { url, headers, oauth, ca } = server.remote;
      const more = { ...(oauth && { oauth }), ...(ca !== undefined && { ca }) };
      return { kind: server.kind, url, headers: headers ?? {}, ...more };
    }
    case 'inmemory':
      return { kind: 'inmemory', args: server.launch.args, env: server.launch.env ?? {} };
    case 'own':
      return { kind: 'own', ...server.own };
  }
};

export type ReadFacts =
  | { readonly ok: true; readonly facts: LaunchConfig }
  /** None holds a value: they may be secrets. */
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/**
 * The facts after their placeholders were filled in with whatever values: numbers and booleans become text, a null
 * in `env` or `headers` is an absent entry, and the rest has to be what a config may say.
 */
export const readFacts = (kind: ServerConfig['kind'], rendered: unknown): ReadFacts => {
  const findings: Findings = { mistakes: [], warnings: [] };
  const at = (inner: Path): Path => ['server_parameters', ...inner];
  const facts = judged(kind, isObject(rendered) ? asTexts(rendered) : {}, findings, at);
  if (facts !== undefined && 'url' in facts && !isHttpUrl(facts.url))
    addMistake(
      findings,
      at(['url']),
      isSocketUrl(facts.url) ? noSockets : 'expected an http:// or https:// URL',
    );
  const { mistakes } = findings;
  return facts === undefined || mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, facts };
};

const judged = (
  kind: ServerConfig['kind'],
  value: object,
  findings: Findings,
  at: (inner: Path) => Path,
): LaunchConfig | undefined => {
  switch (kind) {
    case 'stdio': {
      const { envFile: given, ...parameters } = value as { readonly envFile?: unknown };
      const read = check(serverSchemas.stdio.shape.server_parameters, parameters, findings, at);
      const envFile = check(serverSchemas.stdio.shape.envFile, given, findings, () => ['envFile']);
      if (read === undefined) return undefined;
      const { command, args, env, cwd } = read;
      const file = typeof envFile === 'string' && { envFile };
      return { kind, command, args: args ?? [], env: env ?? {}, cwd: cwd ?? null, ...file };
    }
    case 'sse':
    case 'streamable': {
      const {
        oauth: login,
        ca: file,
        ...parameters
      } = value as { readonly oauth?: unknown; readonly ca?: unknown };
      const read = check(serverSchemas.sse.shape.server_parameters, parameters, findings, at);
      const oauth =
        login === undefined ? undefined : check(oauthSchema, login, findings, (path) => ['oauth', ...path]);
      const ca = check(serverSchemas.sse.shape.ca, file, findings, () => ['ca']);
      const more = { ...(oauth && { oauth }), ...(typeof ca === 'string' && { ca }) };
      return read && { kind, url: read.url, headers: read.headers ?? {}, ...more };
    }
    case 'inmemory': {
      const read = check(serverSchemas.inmemory.shape.server_parameters, value, findings, at);
      return read ? { kind, args: read.args ?? [], env: read.env ?? {} } : undefined;
    }
    case 'own': {
      const { type, facts } = value as { readonly type: OwnType; readonly facts: unknown };
      const read = check(serverSchemas.own.shape.server_parameters, facts, findings, at);
      return read ? { kind, type, facts: read } : undefined;
    }
  }
};

const asText = (part: unknown): unknown =>
  typeof part === 'number' || typeof part === 'boolean' ? String(part) : part;
const asTexts = ({ kind: _, ...facts }: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => {
      if (Array.isArray(value)) return [key, value.map(asText)];
      if (!isObject(value) || (key !== 'env' && key !== 'headers')) return [key, asText(value)];
      const held = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
      return [key, Object.fromEntries(held.map(([name, part]) => [name, asText(part)]))];
    }),
  );

/** All mistakes of one server, as one sentence a line. */
export const mistakesText = (mistakes: readonly Mistake[]): string =>
  mistakes.map((mistake) => mistakeLine(mistake)).join('\n');
