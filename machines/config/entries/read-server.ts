import { isForeign, mapForeign } from '../foreign/foreign.ts';
import { addMistake, addWarning, check, pathText, type Findings, type Path } from '../mistake.ts';
import { unfilledIn } from '../placeholders.ts';
import {
  kindOf,
  guessedType,
  isSocketUrl,
  noSockets,
  serverSchemas,
  type BaseFields,
  type ServerConfig,
} from '../server.ts';
import type { OAuth } from '../oauth.ts';
import type { OwnType } from '../foreign/protocol.ts';
import { approvalsOf, totals, type Settings } from '../settings.ts';
import { serverToProtocol } from '../foreign/to-protocol.ts';
import { isObject } from '../../protocol/json.ts';

/** One server as it stands in a file. */
export interface Entry {
  readonly value: unknown;
  readonly path: Path;
  /** The key of the map that holds it. */
  readonly key?: string;
  /** It stands in an `mcpServers` map. */
  readonly inForeignMap: boolean;
  /** What the whole file says of expanding. */
  readonly expands?: unknown;
}

/** A server that is right in itself; mistakes and warnings go to the findings. */
export const readServer = (entry: Entry, findings: Findings): ServerConfig | undefined => {
  const { value, path } = entry;
  if (!isObject(value)) {
    addMistake(findings, path, 'expected an object that configures a server');
    return undefined;
  }
  const isOfOthers = isForeign(value, entry.inForeignMap);
  const name = nameOf(value, entry, isOfOthers, findings);
  if (!isOfOthers) {
    return judge(value, name, (inner) => [...path, ...inner], findings);
  }
  const mapped = mapForeign(value, path, findings);
  if (mapped === undefined) return undefined;
  const { a2c } = value;
  const expands = (isObject(a2c) ? a2c['expand'] : undefined) ?? entry.expands ?? true;
  const filled = `\${input:…}${expands === false ? '' : ', variables'} and \${env:…}`;
  for (const text of unfilledIn(mapped.entry['server_parameters'], expands !== false))
    addWarning(findings, path, `${text} is passed on as it stands: only ${filled} are filled in`);
  const server = judge(mapped.entry, name, mapped.originOf, findings);
  return server && { ...server, isForeign: true, ...shownIn(value) };
};
/** What is meant for a screen, where it is a text; whatever else stands there hurts nobody. */
const shownIn = (value: Readonly<Record<string, unknown>>): Pick<ServerConfig, 'shown'> => {
  const first = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => value[key]).find((text): text is string => typeof text === 'string' && text !== '');
  const [icons, descriptions] = [first('icons', 'icon'), first('descriptions', 'description', 'title')];
  if (icons === undefined && descriptions === undefined) return {};
  return {
    shown: { ...(icons !== undefined && { icons }), ...(descriptions !== undefined && { descriptions }) },
  };
};

const nameOf = (
  value: Readonly<Record<string, unknown>>,
  { key, path, inForeignMap }: Entry,
  isOfOthers: boolean,
  findings: Findings,
): string | undefined => {
  const inside = value['name'];
  if (key !== undefined) {
    if (key.trim() === '') addMistake(findings, path, 'the name of a server must not be empty');
    else if (inside === undefined || inside === null || inside === key) return key;
    else if (isOfOthers && inForeignMap) {
      // Cherry Studio has an id as the key, and a name to show.
      addWarning(findings, [...path, 'name'], `differs from ${JSON.stringify(key)}, which is its name here`);
      return key;
    } else
      addMistake(findings, [...path, 'name'], `differs from ${JSON.stringify(key)}, the key of this server`);
    return undefined;
  }
  if (typeof inside === 'string' && inside.trim() !== '') return inside;
  const what = inside === undefined ? 'is missing: expected a string' : 'expected a string that is not empty';
  addMistake(findings, [...path, 'name'], what);
  return undefined;
};

/** Judges the protocol's shape. Runs even without a name, so that all mistakes come at once. */
const judge = (
  value: Readonly<Record<string, unknown>>,
  name: string | undefined,
  originOf: (path: Path) => Path,
  findings: Findings,
): ServerConfig | undefined => {
  const kind = kindOf(value['type']);
  if (kind === undefined) {
    const what = value['type'] === undefined ? 'is missing: expected' : 'expected';
    addMistake(findings, originOf(['type']), `${what} one of stdio, sse, streamable, inmemory, own:NAME`);
    return undefined;
  }
  const made = build(kind, value, name ?? '', originOf, findings);
  judgeApproval(value, originOf, findings);
  if (made === undefined || name === undefined) return undefined;
  for (const key of totals)
    if (made.settings[key] !== undefined)
      addMistake(
        findings,
        originOf(['a2c', key]),
        'is of all servers together: write it at the top of the file',
      );
  if ('remote' in made && isSocketUrl(made.remote.url))
    addWarning(findings, originOf(['server_parameters', 'url']), `${noSockets}: this server does not start`);
  if (made.defaultToolMeta?.alias) {
    const what = 'gives every tool of this server one name, so that only one can be called';
    addWarning(findings, originOf(['default_tool_meta', 'alias']), `${what}; write it into tool_meta`);
  }
  return { ...made, raw: serverToProtocol(made) };
};

const build = (
  kind: ServerConfig['kind'],
  value: Readonly<Record<string, unknown>>,
  name: string,
  originOf: (path: Path) => Path,
  findings: Findings,
) => {
  switch (kind) {
    case 'stdio': {
      const fields = check(serverSchemas.stdio, value, findings, originOf);
      if (fields === undefined) return undefined;
      const { command, args, env, cwd, encoding, encoding_error_handler: onError } = fields.server_parameters;
      if (encoding && !/^utf-?8$/i.test(encoding)) {
        addWarning(
          findings,
          originOf(['server_parameters', 'encoding']),
          'MCP is always UTF-8; kept but not used',
        );
      }
      const streams = { encoding: encoding ?? 'utf-8', encodingErrors: onError ?? ('strict' as const) };
      const envFile = fields.envFile ?? fields.env_file;
      const held = { env: env ?? null, ...(typeof envFile === 'string' && { envFile }) };
      const launch = { command, args: args ?? [], ...held, cwd: cwd ?? null, ...streams };
      return { kind, ...shared(fields, name), launch };
    }
    case 'sse': {
      const fields = check(serverSchemas.sse, value, findings, originOf);
      return (
        fields && {
          kind,
          ...shared(fields, name),
          remote: remote({ ...fields.server_parameters, oauth: fields.oauth, ca: fields.ca }, 5_000),
        }
      );
    }
    case 'streamable': {
      const fields = check(serverSchemas.streamable, value, findings, originOf);
      if (fields === undefined) return undefined;
      const terminateOnClose = fields.server_parameters.terminate_on_close ?? true;
      return {
        kind,
        ...shared(fields, name),
        remote: {
          ...remote({ ...fields.server_parameters, oauth: fields.oauth, ca: fields.ca }, 30_000),
          terminateOnClose,
          isGuess: value['type'] === guessedType,
        },
      };
    }
    case 'inmemory': {
      const fields = check(serverSchemas.inmemory, value, findings, originOf);
      const { args, env } = fields?.server_parameters ?? {};
      return fields && { kind, ...shared(fields, name), launch: { args: args ?? [], env: env ?? null } };
    }
    case 'own': {
      const fields = check(serverSchemas.own, value, findings, originOf);
      const type = value['type'] as OwnType;
      return (
        fields && { kind, ...shared(fields, name), own: { type, facts: fields.server_parameters ?? {} } }
      );
    }
  }
};

interface RemoteFields {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly timeout?: number | null | undefined;
  readonly sse_read_timeout?: number | null | undefined;
  readonly oauth?: OAuth | null | undefined;
  readonly ca?: string | null | undefined;
}
/** Defaults are those of the reference implementation: 5 s for SSE, 30 s for streamable HTTP, 5 min of silence. */
const remote = (fields: RemoteFields, timeoutMs: number) => ({
  url: fields.url,
  headers: fields.headers ?? null,
  timeoutMs: fields.timeout ?? timeoutMs,
  sseReadTimeoutMs: fields.sse_read_timeout ?? 300_000,
  ...(fields.oauth && { oauth: fields.oauth }),
  ...(typeof fields.ca === 'string' && { ca: fields.ca }),
});

/** The same said twice has to be the same; and it may be said in vain. */
const judgeApproval = (
  value: Readonly<Record<string, unknown>>,
  originOf: (path: Path) => Path,
  findings: Findings,
): void => {
  const { a2c, default_tool_meta: meta } = value;
  const places: readonly (readonly [Path, unknown])[] = [
    [['auto_approve'], value['auto_approve']],
    [['autoApprove'], value['autoApprove']],
    [['a2c', 'autoApprove'], isObject(a2c) ? a2c['autoApprove'] : undefined],
  ];
  const said = places.filter(([, names]) => Array.isArray(names) && names.every(isText));
  const [first, ...others] = said.map(([path, names]) => ({
    path,
    names: new Set(approvalsOf(names as string[])),
  }));
  for (const { path, names } of others) {
    if (first === undefined || isSameSet(names, first.names)) continue;
    const what = `says something else than ${pathText(originOf(first.path))}, which means the same`;
    addMistake(findings, originOf(path), what, 'keep one of them');
  }
  if (first !== undefined && first.names.size > 0 && isObject(meta) && meta['auto_apply'] === false)
    addWarning(findings, originOf(first.path), 'has no effect: default_tool_meta says auto_apply: false');
};
const isText = (name: unknown): boolean => typeof name === 'string';
const isSameSet = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  some.size === others.size && [...some].every((name) => others.has(name));

/** What is said in the place of a setting is one. */
const settingsOf = ({ a2c, auto_approve, autoApprove }: BaseFields): Settings => {
  const said = auto_approve ?? autoApprove;
  return said ? { ...a2c, autoApprove: said } : (a2c ?? {});
};

const shared = (fields: BaseFields, name: string) => ({
  name,
  bundleId: fields.bundle_id ?? null,
  disabled: fields.disabled ?? false,
  forbiddenTools: fields.forbidden_tools ?? [],
  toolMeta: fields.tool_meta ?? {},
  defaultToolMeta: fields.default_tool_meta ?? null,
  vrl: fields.vrl?.trim() ? fields.vrl : null,
  settings: settingsOf(fields),
});
