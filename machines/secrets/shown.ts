import { isSecretInput, isSecretName } from './secret-names.ts';
import { isSecretValue, secretsIn, loginsIn, secretSpansIn } from './secret-rules.ts';
import { SecretIndex, replacedIn } from './secret-index.ts';
import { SecretRedactor } from './redaction.ts';
import { isObject, type Fields } from '../protocol/json.ts';
import type { InputDefinition } from '../config/inputs.ts';
import { launchConfigOf } from '../config/launch-config.ts';
import { isTemplate, renderWith } from '../config/placeholders.ts';
import {
  secretsOfLogin,
  type OAuth,
  type OwnFacts,
  type ProtocolServer,
  type ServerConfig,
} from '../config/schemas.ts';

type Texts = Readonly<Record<string, string>>;
const hidden = '***';
const hideText = (text: string): string => (isTemplate(text) ? text : hidden);
const hideAll = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, hideText(value)]));

interface LaunchFacts {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Texts | null;
  readonly headers?: Texts | null;
  readonly url?: string;
  readonly proxy?: string;
  readonly oauth?: OAuth;
  readonly facts?: OwnFacts;
}
/** See docs/security.md. */
export function secretsOfLaunch({
  command,
  args = [],
  env,
  headers,
  ...rest
}: LaunchFacts): readonly string[] {
  const { url = '', proxy = '', oauth = {}, facts = {} } = rest;
  const told = Object.values(oauth).filter((value) => typeof value === 'string');
  const own = Object.entries(facts).flatMap(([name, fact]) => {
    if (typeof fact === 'string') return secretsIn({ [name]: fact });
    if (typeof fact !== 'object') return [];
    return Array.isArray(fact) ? secretsIn({}, fact) : secretsIn(fact as Texts);
  });
  const login = secretsOfLogin.map((key) => oauth[key] ?? '');
  return [
    ...secretsIn(env ?? {}, args, command),
    ...secretsIn(headers ?? {}, [url, proxy, ...told]),
    ...login,
    ...own,
  ];
}
/** No text of a config has this character. */
const hole = '\0';
/** Before placeholders are filled in. */
export function literalSecretsIn(facts: object): readonly string[] {
  const filled = renderWith(facts, () => ({ value: hole }));
  const secrets = filled.ok ? secretsOfLaunch(filled.value as LaunchFacts) : [];
  return secrets.flatMap((text) =>
    text.includes(hole) ? text.split(hole).filter((piece) => isSecretValue('', piece)) : text,
  );
}
/** A host learns them before it writes or shows anything. */
export const secretsOfConfig = (config: {
  readonly servers: readonly ServerConfig[];
  readonly inputs: readonly InputDefinition[];
}): readonly string[] => [
  ...config.servers.flatMap((server) => literalSecretsIn(launchConfigOf(server))),
  ...config.inputs.flatMap((input) => {
    if (input.type === 'command') return secretsIn(input.args ?? {}, input.command.split(/\s+/));
    return isSecretInput(input) && input.default !== null ? [input.default] : [];
  }),
];

/**
 * Returns a server with its secrets replaced by `***` (docs/security.md): values of `env` and `headers` that
 * are no placeholders, secrets in arguments, logins and keys in URLs, all of these also where they occur
 * elsewhere, and all texts of a kind that the host defines. `a2c export` hides the same.
 */
export function shownServer(server: ProtocolServer): ProtocolServer {
  const { name, type, bundle_id, ...rest } = withHidden(server);
  const redactor = new SecretRedactor({ secrets: new SecretIndex(secretsOf(server)) });
  // Name, type and bundle id stay, because others know the server by them.
  const known = { name, type, ...(bundle_id !== undefined && { bundle_id }) };
  return { ...server, ...redactor.details(rest), ...known } as ProtocolServer;
}
/** Undefined where the file has another form, and for kinds of servers that only the host knows. */
export function shownEntry(file: unknown, server: ProtocolServer): object | undefined {
  const isOwnKind = !['stdio', 'inmemory', 'sse', 'streamable'].includes(server.type);
  const entry = isOwnKind ? undefined : entryIn(file, server.name);
  const redactor = new SecretRedactor({ secrets: new SecretIndex(secretsOf(server)) });
  return entry === undefined ? undefined : redactor.details(withHiddenTexts(entry, placeholdersOf(server)));
}
/** At which the known applications have their servers. */
const deepest = 4;
function entryIn(value: unknown, name: string, depth = deepest): Fields | undefined {
  if (Array.isArray(value)) return value.filter(isObject).find((each) => each['name'] === name);
  if (!isObject(value) || depth === 0) return undefined;
  const own = Object.entries(value).find(([key]) => key === name)?.[1];
  if (isObject(own) && targetKeys.some((key) => key in own)) return own;
  for (const inner of Object.values(value)) {
    const found = entryIn(inner, name, depth - 1);
    if (found) return found;
  }
  return undefined;
}
const targetKeys = [
  'command',
  'cmd',
  'url',
  'httpUrl',
  'serverUrl',
  'baseUrl',
  'uri',
  'server_parameters',
  'transport',
];
function placeholdersOf({ server_parameters: p }: ProtocolServer): ReadonlySet<string> {
  const { env, headers } = p as { readonly env?: Texts | null; readonly headers?: Texts | null };
  return new Set(
    Object.entries({ ...env, ...headers }).flatMap(([key, text]) => (isTemplate(text) ? [key] : [])),
  );
}
function withHiddenTexts(entry: Fields, placeholders: ReadonlySet<string>): Fields {
  const shownIn = (key: string, value: unknown): unknown => {
    if (isObject(value) && /env|header/i.test(key))
      return Object.fromEntries(
        Object.entries(value).map(([name, text]) => [name, placeholders.has(name) ? text : hidden]),
      );
    if (isObject(value)) return withHiddenTexts(value, placeholders);
    const isLogin = isSecretName(key) || secretsOfLogin.some((login) => login === key);
    if (typeof value === 'string') return isLogin ? hideText(value) : withoutSecretParts(value, hideText);
    const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isTexts ? withoutSecretArgs(value, hideText, String(entry['command'])) : value;
  };
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, shownIn(key, value)]));
}
const secretsOf = ({ type, server_parameters: p }: ProtocolServer): readonly string[] =>
  literalSecretsIn(type.startsWith('own:') ? { facts: p } : p);
function withHidden(server: ProtocolServer): ProtocolServer {
  if (server.type.startsWith('own:'))
    return {
      ...server,
      server_parameters: hideFacts(server.server_parameters as OwnFacts),
    } as ProtocolServer;
  const { command, args, env, url, headers } = server.server_parameters as LaunchFacts;
  const parameters = {
    ...server.server_parameters,
    ...(args && { args: withoutSecretArgs(args, hideText, command) }),
    ...(env && { env: hideAll(env) }),
    ...(url !== undefined && { url: withoutSecretParts(url, hideText) }),
    ...(headers && { headers: hideAll(headers) }),
  };
  return { ...server, server_parameters: parameters } as ProtocolServer;
}
/** Only the host knows which are secret. */
const hideFacts = (facts: OwnFacts): OwnFacts =>
  Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, hideFact(fact)]));
function hideFact(fact: OwnFacts[string]): OwnFacts[string] {
  if (typeof fact === 'string') return hideText(fact);
  if (typeof fact !== 'object') return fact;
  return Array.isArray(fact) ? fact.map(hideText) : hideAll(fact as Texts);
}

export function shownTarget(server: ProtocolServer): string {
  const shown = shownServer(server);
  if (shown.type === 'stdio')
    return [shown.server_parameters.command, ...shown.server_parameters.args].join(' ');
  return shown.type === 'sse' || shown.type === 'streamable' ? shown.server_parameters.url : '';
}

/** `n` is the index of the argument, from 0. */
export function withoutSecretArgs(
  args: readonly string[],
  replaced: (value: string, n: number) => string,
  command?: string,
): readonly string[] {
  const spans = secretSpansIn(args, command);
  return args.map((arg, n) =>
    replacedIn(arg, [...(spans[n] ?? []), ...loginsIn(arg)], (value) => replaced(value, n)),
  );
}
export const withoutSecretParts = (url: string, replaced: (value: string) => string): string =>
  withoutSecretArgs([url], replaced).join('');
export const hasSecretParts = (url: string): boolean => withoutSecretParts(url, () => '\0').includes('\0');
