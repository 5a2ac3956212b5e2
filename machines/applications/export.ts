import type { Fields } from '../protocol/json.ts';
import type { ServerProperty, AppFormat } from './app.ts';
import { toolsAlone } from '../call/policy/permission.ts';
import { below, isPath, isRelative } from './import.ts';
import type { Config } from '../config/parse.ts';
import { isTemplate, withTexts } from '../config/placeholders.ts';
import { secretsOfLogin, type OAuth, type ServerConfig } from '../config/schemas.ts';
import { hasSecretParts, literalSecretsIn, withoutSecretArgs } from '../secrets/shown.ts';

interface Exported {
  readonly value: Fields;
  readonly left: readonly string[];
}
type Texts = Readonly<Record<string, string>>;

export const plainWords: AppFormat = {
  at: 'mcpServers',
  types: { stdio: null, streamable: 'http', sse: 'sse' },
  keys: {
    command: 'command',
    args: 'args',
    env: 'env',
    cwd: 'cwd',
    url: 'url',
    headers: 'headers',
    off: 'disabled',
  },
};

/** Unless `withSecrets`, values that may be secret become placeholders: env, headers, arguments, URLs. */
export function exportFor(
  { servers, inputs }: Pick<Config, 'servers' | 'inputs'>,
  words: AppFormat,
  withSecrets: boolean,
): Exported {
  const left: string[] = [];
  const entries = servers.flatMap((server): [string, Fields][] => {
    const entry = entryOf(withSecrets ? server : withoutSecrets(server), words, left);
    return entry ? [[server.name, entry]] : [];
  });
  const held = words.isList
    ? entries.map(([name, entry]) => ({ name, ...entry }))
    : Object.fromEntries(entries);
  const asked = words.hasInputs && inputs.length > 0 ? { inputs: inputs.map(inputOf) } : {};
  if (words.hasNoVariables && /\$\{(env|input):/.test(JSON.stringify(held)))
    left.push('${env:NAME}: no variables are filled in there; write the values yourself');
  return { value: { ...words.around, ...asked, [words.at]: held }, left };
}
/** The default of a password is left out. */
const inputOf = (input: Config['inputs'][number]): Fields =>
  input.type === 'promptString' && input.password
    ? { type: input.type, id: input.id, description: input.description, password: true }
    : {
        ...Object.fromEntries(
          Object.entries(input).filter(
            ([key, value]) => value !== null && key !== 'labels' && key !== 'isForeign',
          ),
        ),
      };

const ourWords: Partial<Readonly<Record<ServerProperty, string>>> = {
  off: 'disabled',
  tools: 'a2c.tools',
  forbidden: 'forbidden_tools',
  approved: 'autoApprove',
  timeoutMs: 'a2c.timeouts.callTotalMs',
};
function entryOf(server: ServerConfig, words: AppFormat, left: string[]): Fields | undefined {
  const say = (what: string): void => void left.push(`${JSON.stringify(server.name)}: ${what}`);
  const { kind } = server;
  const isOurs = kind === 'inmemory' || kind === 'own';
  const type = isOurs ? undefined : words.types[kind];
  if (isOurs || type === undefined) {
    say(`left out: there are no servers of type ${kind} there`);
    return undefined;
  }
  if (server.disabled && words.keys.off === undefined) {
    say('left out: it is disabled, and that cannot be said there');
    return undefined;
  }
  const made: [string, unknown][] = type === null ? [] : [['type', type]];
  const all = factsOf(server);
  const facts = words.keys.cwd === undefined && 'cwd' in all ? withoutFolder(all, say) : all;
  for (const [fact, value] of Object.entries(facts) as [ServerProperty, unknown][]) {
    const word = words.keys[fact];
    if (word === undefined) say(`${ourWords[fact] ?? fact} is left out`);
    else if (typeof word === 'string') made.push([word, value]);
    else made.push(...Object.entries(word(value, kind)));
  }
  const groups = server.settings.autoApprove?.filter((name) => !toolsAlone([name]).length) ?? [];
  if (groups.length > 0 && typeof words.keys.approved === 'function')
    say(`autoApprove of ${groups.join(', ')} is left out`);
  if (isSaid(server, 'a2c')) say('other settings of a2c are left out');
  for (const key of ['tool_meta', 'vrl'] as const) if (isSaid(server, key)) say(`${key} is left out`);
  const entry = filledIn(Object.fromEntries(made), words) as Fields;
  return words.finish?.(entry, server.name) ?? entry;
}
/** Whether a word that does not begin with a dot is a path, nobody knows. */
function withoutFolder({ cwd, ...facts }: Facts, say: (what: string) => void): Facts {
  if (typeof cwd !== 'string' || isRelative(cwd)) return { ...facts, cwd };
  const whole = (each: unknown): unknown => (isPath(each) ? below(cwd, String(each)) : each);
  say(`cwd is left out: paths that begin with a dot are written below ${cwd}, others are not`);
  const args = Array.isArray(facts.args) ? facts.args.map(whole) : undefined;
  return { ...facts, command: whole(facts.command), ...(args && { args }) };
}
/** Only our config has it; settings that an export can write (`ServerProperty`) do not count. */
function isSaid(
  { settings, toolMeta, defaultToolMeta, vrl }: ServerConfig,
  key: 'a2c' | 'tool_meta' | 'vrl',
): boolean {
  if (key === 'vrl') return vrl !== null;
  if (key === 'tool_meta') return Object.keys(toolMeta).length > 0 || defaultToolMeta !== null;
  const { tools: _, autoApprove: __, timeouts, ...others } = settings;
  return (
    Object.keys(others).length + Object.keys(timeouts ?? {}).filter((each) => each !== 'callTotalMs').length >
    0
  );
}

type Facts = Partial<Record<ServerProperty, unknown>>;
function factsOf(server: ServerConfig): Facts {
  const { settings, forbiddenTools } = server;
  const launch =
    server.kind === 'stdio'
      ? {
          command: server.launch.command,
          args: server.launch.args,
          env: server.launch.env,
          cwd: server.launch.cwd,
          envFile: server.launch.envFile,
        }
      : server.kind === 'sse' || server.kind === 'streamable'
        ? { url: server.remote.url, headers: server.remote.headers, oauth: server.remote.oauth }
        : {};
  const said = {
    ...launch,
    off: server.disabled || undefined,
    tools: settings.tools,
    forbidden: forbiddenTools.length > 0 ? forbiddenTools : undefined,
    approved: settings.autoApprove?.length ? settings.autoApprove : undefined,
    timeoutMs: settings.timeouts?.callTotalMs,
  };
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== undefined && value !== null),
  );
}

const filledIn = (value: unknown, words: AppFormat): unknown =>
  withTexts(value, (text) =>
    text.replaceAll(/\$\{(env|input):([^}]+)\}/g, (whole, kind: string, name: string) => {
      if (kind === 'input' && words.hasInputs) return whole;
      return words.variable?.(nameOf(name)) ?? `\${env:${nameOf(name)}}`;
    }),
  );
const nameOf = (...parts: readonly string[]): string => parts.join('_').replaceAll(/\W/g, '_');
const variable = (...parts: readonly string[]): string => `\${env:${nameOf(...parts)}}`;
const hidden = (texts: Texts | null, name: (key: string) => string): Texts | null =>
  texts &&
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => {
      const isOpen = isTemplate(text) && literalSecretsIn({ env: { [key]: text } }).length === 0;
      return [key, isOpen ? text : name(key)];
    }),
  );

function withoutSecrets<T extends ServerConfig>(server: T): T;
function withoutSecrets(server: ServerConfig): ServerConfig {
  if (server.kind === 'stdio') {
    const { args, env, command } = server.launch;
    const seen = args.map(() => new Set<string>());
    const named = (value: string, n: number): string => {
      const nth = [...(seen[n]?.add(value) ?? [])].indexOf(value);
      return `\${env:${nameOf(server.name, 'ARG', String(n + 1), ...(nth > 0 ? [String(nth + 1)] : [])).toUpperCase()}}`;
    };
    const safe = withoutSecretArgs(args, named, command);
    return { ...server, launch: { ...server.launch, args: safe, env: hidden(env, (key) => variable(key)) } };
  }
  if (server.kind !== 'sse' && server.kind !== 'streamable') return server;
  const { url, headers, oauth } = server.remote;
  const named = (key: string): string => `\${env:${nameOf(server.name, key).toUpperCase()}}`;
  const remote = {
    ...server.remote,
    url: hasSecretParts(url) ? named('URL') : url,
    headers: hidden(headers, named),
    ...(oauth && { oauth: withoutLoginSecrets(oauth, named) }),
  };
  return server.kind === 'sse'
    ? { ...server, remote }
    : { ...server, remote: { ...server.remote, ...remote } };
}
const withoutLoginSecrets = (oauth: OAuth, named: (key: string) => string): OAuth => {
  const given = secretsOfLogin.filter((key) => oauth[key] !== undefined);
  const names = given.map((key) => [key, named(key.replaceAll(/[A-Z]/g, '_$&'))]);
  return { ...oauth, ...(Object.fromEntries(names) as Partial<OAuth>) };
};
