/** Facts by which a server is started or reached, read from its config and told apart by a fingerprint. */
import { isObject } from '../protocol/json.ts';
import { canonical } from '../trace/canonical.ts';
import { addMistake, check, mistakeLine, type Findings, type Mistake, type Path } from './mistake.ts';
import {
  oauthSchema,
  isHttpUrl,
  isSocketUrl,
  noSockets,
  serverSchemas,
  type OwnFacts,
  type OwnType,
  type OAuth,
  type ServerConfig,
} from './schemas.ts';

type Texts = Readonly<Record<string, string>>;
/** Placeholders are filled in only here, and only a change here requires a new process or connection. */
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
      /** Absent: the login follows what the server announces. */
      readonly oauth?: OAuth;
      readonly ca?: string;
    }
  | { readonly kind: 'inmemory'; readonly args: readonly string[]; readonly env: Texts }
  | { readonly kind: 'own'; readonly type: OwnType; readonly facts: OwnFacts };

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

type ReadFacts =
  | { readonly ok: true; readonly facts: LaunchConfig }
  /** Without any values, because values may be secrets. */
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/** After filling in: numbers and booleans become text, null in `env` or `headers` means absent. */
export const readFacts = (kind: ServerConfig['kind'], rendered: unknown): ReadFacts => {
  const findings: Findings = { mistakes: [], warnings: [] };
  const at = (inner: Path): Path => ['server_parameters', ...inner];
  const facts = checkedFacts(kind, isObject(rendered) ? asTexts(rendered) : {}, findings, at);
  if (facts !== undefined && 'url' in facts && !isHttpUrl(facts.url))
    addMistake(
      findings,
      at(['url']),
      isSocketUrl(facts.url) ? noSockets : 'expected an http:// or https:// URL',
    );
  const { mistakes } = findings;
  return facts === undefined || mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, facts };
};

const checkedFacts = (
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

export const mistakesText = (mistakes: readonly Mistake[]): string =>
  mistakes.map((mistake) => mistakeLine(mistake)).join('\n');

/** Equal exactly for the same way to start: order and header case do not matter; no `env` equals an empty one. */
export const fingerprintText = (server: ServerConfig): string => {
  const facts = launchConfigOf(server);
  if (facts.kind === 'inmemory') return canonical({ ...facts, name: server.name });
  if (!('headers' in facts)) return canonical(facts);
  // As a list, because the names of two headers may differ only in case.
  const headers = Object.entries(facts.headers).map(([name, value]) =>
    canonical([name.toLowerCase(), value]),
  );
  return canonical({ ...facts, headers: headers.toSorted() });
};

/** For peers of 0.3 and later (a2c-wire §6.6). Undefined: the id is a hash of the launch config. */
export const bundleNameOf = ({ bundleId, name }: ServerConfig): string | undefined =>
  bundleId ?? (normalised(name) || undefined);

const normalised = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_-]/gu, '_')
    .replace(/_+/g, '_')
    .replace(/^[_-]+|(?<![_-])[_-]+$/g, '');

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
    // Server kinds defined by the host are unknown to other peers.
    case 'own':
      return [facts.kind, facts.type, server.name];
  }
}
