/** A config file read: in our form and in those of other clients, with all mistakes at once. */
import { fieldsOf, isObject, type Fields } from '../protocol/json.ts';
import { nearest } from '../text.ts';
import { isForeign, mapForeign } from './foreign.ts';
import { serverToProtocol } from './to-protocol.ts';
import { readInputs, type InputDefinition } from './inputs.ts';
import {
  addMistake,
  addTwice,
  addWarning,
  check,
  pathText,
  isWithin,
  mistakeLine,
  type Findings,
  type Path,
  type Mistake,
} from './mistake.ts';
import { unfilledIn, placeholdersIn } from './placeholders.ts';
import {
  kindOf,
  guessedType,
  isSocketUrl,
  noSockets,
  serverSchemas,
  totalKeys,
  settingsSchema,
  type BaseFields,
  type ServerConfig,
  type OAuth,
  type OwnType,
  type Settings,
} from './schemas.ts';

/** Server as written in a file. */
interface Entry {
  readonly value: unknown;
  readonly path: Path;
  /** Key of the server in its map; absent in a list. */
  readonly key?: string;
  /** True for an entry of an `mcpServers` map. */
  readonly inForeignMap: boolean;
  /** Value of the file's setting `expand`, which applies to all of its servers. */
  readonly expands?: unknown;
}

const readServer = (entry: Entry, findings: Findings): ServerConfig | undefined => {
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
  if (!server) hintAtMisspelt(mapped.misspelt, path, findings);
  return server && { ...server, isForeign: true, ...shownIn(value) };
};
const hintAtMisspelt = (misspelt: ReadonlyMap<string, string>, path: Path, { mistakes }: Findings): void => {
  for (const [key, meant] of misspelt) {
    const place = pathText([...path, meant]);
    const at = mistakes.findIndex((each) => each.path === place && each.message.startsWith('is missing'));
    const missing = mistakes[at];
    if (missing)
      mistakes[at] = { ...missing, remedy: `${pathText([key])} is no key: did you mean ${meant}?` };
  }
};
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
      // Cherry Studio uses an id as key and has a separate name for display.
      addWarning(findings, [...path, 'name'], `differs from ${JSON.stringify(key)}, which is its name here`);
      return key;
    } else
      addMistake(findings, [...path, 'name'], `differs from ${JSON.stringify(key)}, the key of this server`);
    return undefined;
  }
  if (typeof inside === 'string' && inside.trim() !== '') return inside;
  const what = inside === undefined ? 'is missing: expected a string' : 'expected a string that is not empty';
  // Other clients name a server by its key in a map.
  const remedy = isOfOthers ? 'or give the server a name as its key: {"mcpServers": {NAME: {…}}}' : undefined;
  addMistake(findings, [...path, 'name'], what, remedy);
  return undefined;
};

/** Even without a name, so that all errors are reported at once. */
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
  for (const key of totalKeys)
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
      if (encoding && !/^utf[-_ ]?8(?:[-_ ]sig)?$/i.test(encoding))
        addMistake(
          findings,
          originOf(['server_parameters', 'encoding']),
          'is not UTF-8, the only encoding of MCP',
          'Let the server speak UTF-8 (Python: "PYTHONUTF8": "1" or "PYTHONIOENCODING": "utf-8" in its env), and delete this key',
        );
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
/** As the reference implementation: 5 s for SSE, 30 s for streamable HTTP, 5 min without data. */
const remote = (fields: RemoteFields, timeoutMs: number) => ({
  url: fields.url,
  headers: fields.headers ?? null,
  timeoutMs: fields.timeout ?? timeoutMs,
  sseReadTimeoutMs: fields.sse_read_timeout ?? 300_000,
  ...(fields.oauth && { oauth: fields.oauth }),
  ...(typeof fields.ca === 'string' && { ca: fields.ca }),
});

const judgeApproval = (
  value: Readonly<Record<string, unknown>>,
  originOf: (path: Path) => Path,
  findings: Findings,
): void => {
  const { a2c } = value;
  const places: readonly (readonly [Path, unknown])[] = [
    [['auto_approve'], value['auto_approve']],
    [['autoApprove'], value['autoApprove']],
    [['a2c', 'autoApprove'], isObject(a2c) ? a2c['autoApprove'] : undefined],
  ];
  const [first, ...others] = places.filter(([, names]) => Array.isArray(names));
  for (const [path, names] of others)
    if (first && JSON.stringify(names) !== JSON.stringify(first[1]))
      addTwice(findings, originOf(path), pathText(originOf(first[0])));
};

/** Including an approval list written outside of `a2c`. */
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

interface LeftOut {
  readonly name: string;
  readonly mistakes: readonly Mistake[];
}
interface Entries {
  readonly servers: readonly ServerConfig[];
  readonly leftOut: readonly LeftOut[];
}

export function freeName(name: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(name)) return name;
  let n = 2;
  while (taken.has(`${name}-${n}`)) n += 1;
  return `${name}-${n}`;
}
export const switchedOff = (entry: unknown): Fields => {
  const others = Object.entries(fieldsOf(entry)).filter(([key]) => !switches.has(key));
  return { ...Object.fromEntries(others), disabled: true };
};
export const switches: ReadonlySet<string> = new Set(['disabled', 'disable', 'enabled', 'isActive']);
const isSwitch = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => switches.has(key));

/** `isLenient`: an invalid server is left out with a warning instead of making the file invalid. */
function readEntries(
  entries: readonly Entry[],
  duplicates: readonly Mistake[],
  isLenient: boolean,
  findings: Findings,
): Entries {
  const places = new Map<string, string>();
  const servers: ServerConfig[] = [];
  const leftOut: LeftOut[] = [];
  for (const entry of entries) {
    const place = pathText(entry.path);
    if (isSwitch(entry.value)) {
      addWarning(
        findings,
        entry.path,
        'only says whether a server that another place describes is on; left out',
      );
      continue;
    }
    const own: Findings = {
      mistakes: duplicates.filter(({ path }) => isWithin(path, place) || isWithin(place, path)),
      warnings: [],
    };
    const server = readServer(entry, own);
    // The name of an invalid server counts, too, when duplicates are searched.
    const inside = isObject(entry.value) ? entry.value['name'] : undefined;
    const name = entry.key ?? (typeof inside === 'string' ? inside : undefined);
    const earlier = name === undefined ? undefined : places.get(name);
    if (earlier !== undefined)
      addMistake(own, [...entry.path, 'name'], `${JSON.stringify(name)} is already the name of ${earlier}`);
    else if (name !== undefined) places.set(name, place);
    if (own.mistakes.length === 0) {
      findings.warnings.push(...own.warnings);
      if (server) servers.push(server);
    } else if (isLenient) {
      leftOut.push({ name: name ?? place, mistakes: own.mistakes });
      findings.warnings.push(...own.mistakes.map((each) => `${mistakeLine(each)}: this server is left out`));
    } else findings.mistakes.push(...own.mistakes);
  }
  return { servers, leftOut };
}

export interface Config {
  readonly file?: string;
  /** In the order of the file; no two share a name. */
  readonly servers: readonly ServerConfig[];
  readonly inputs: readonly InputDefinition[];
  readonly settings: Settings;
  readonly needsInputs: readonly { readonly server: string; readonly ids: readonly string[] }[];
  readonly warnings: readonly string[];
  readonly leftOut?: readonly LeftOut[];
}
export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const shapes =
  'a server, a list of servers, {"servers": …, "inputs": […]}, or {"mcpServers": {name: {"command": …}}}';
const places = ['command', 'url', 'baseUrl', 'serverUrl', 'httpUrl'];
/** A file with one of them at the top is a single server. */
const ofOneServer = ['server_parameters', 'type', ...places];

/** As an entry of `mcpServers`, not yet validated. */
export interface AppServer {
  readonly name: string;
  readonly at: Path;
  readonly entry: unknown;
  /** One sentence each, without values of the file. */
  readonly changed: readonly string[];
  readonly left: readonly string[];
  readonly why?: string;
}
export interface AppServers {
  readonly servers: readonly AppServer[];
  /** In the form of our own config, not yet validated. */
  readonly inputs: readonly unknown[];
  /** Parts outside of the servers that are changed or left out, one sentence each. */
  readonly notes?: readonly string[];
}

export interface Around {
  readonly file?: string;
  readonly inputs?: readonly InputDefinition[];
  readonly duplicates?: readonly Mistake[];
  /** Servers and inputs of a file that belongs to another application. */
  readonly ofApp?: AppServers | undefined;
  /** Invalid servers and inputs are left out with a warning; otherwise the whole config is invalid. */
  readonly isLenient?: boolean;
  /** Accepts a file in which no server is valid; otherwise its errors make the config invalid. */
  readonly mayBeEmpty?: boolean;
}
/** In the shape of a2c-wire §1.9 or of other clients (docs/config.md). No placeholder is expanded. */
export const parseConfig = (value: unknown, where: Around = {}): ParsedConfig => {
  const findings: Findings = { mistakes: [], warnings: [] };
  const { ofApp, duplicates = [], isLenient = false, mayBeEmpty = false } = where;
  const parts = ofApp ? partsOfApp(value, ofApp, findings) : partsOf(value, findings);
  judgeDuplicates(duplicates, parts, ofApp !== undefined, findings);
  const expands = isObject(parts.settings) ? parts.settings['expand'] : undefined;
  const entries = parts.entries.map((entry) => ({ ...entry, expands }));
  const { servers, leftOut } = readEntries(entries, duplicates, isLenient, findings);
  const inputs = inputsOf(parts, isLenient, findings);
  const settings =
    parts.settings === undefined
      ? {}
      : check(settingsSchema, parts.settings, findings, (path) => [...parts.base, 'a2c', ...path]);
  const needsInputs = servers.flatMap((server) => {
    const ids = placeholdersIn(server.raw);
    return ids.length === 0 ? [] : [{ server: server.name, ids }];
  });
  // The errors are more useful than an empty config.
  if (servers.length === 0 && !mayBeEmpty)
    findings.mistakes.push(...leftOut.flatMap(({ mistakes }) => mistakes));
  if (findings.mistakes.length > 0) return { ok: false, mistakes: findings.mistakes };
  const ids = new Set([...inputs, ...(where.inputs ?? [])].map((input) => input.id));
  for (const needed of needsInputs) {
    for (const id of needed.ids.filter((known) => !ids.has(known))) {
      addWarning(
        findings,
        [],
        `server ${JSON.stringify(needed.server)} needs the input ${id}, which inputs does not define`,
      );
    }
  }
  const { warnings } = findings;
  const file = where.file === undefined ? {} : { file: where.file };
  const left = leftOut.length > 0 && { leftOut };
  return {
    ok: true,
    config: { ...file, servers, inputs, settings: settings ?? {}, needsInputs, warnings, ...left },
  };
};
/** Those outside the servers make a file of ours invalid, and give a warning in that of another client. */
const judgeDuplicates = (
  duplicates: readonly Mistake[],
  { entries }: Parts,
  isForeign: boolean,
  findings: Findings,
): void => {
  for (const each of duplicates) {
    const isOfServer = entries.some(({ path }) => {
      const place = pathText(path);
      return isWithin(each.path, place) || isWithin(place, each.path);
    });
    if (isOfServer) continue;
    if (isForeign) findings.warnings.push(mistakeLine(each));
    else findings.mistakes.push(each);
  }
};
const inputsOf = (parts: Parts, isLenient: boolean, findings: Findings): readonly InputDefinition[] => {
  const own: Findings = { mistakes: [], warnings: findings.warnings };
  const path = [...parts.base, 'inputs'];
  const inputs = readInputs(parts.inputs, path, parts.isForeign, own);
  for (const mistake of own.mistakes)
    if (isLenient && mistake.path !== pathText(path))
      findings.warnings.push(`${mistakeLine(mistake)}: this input is left out`);
    else findings.mistakes.push(mistake);
  return inputs;
};

interface Parts {
  readonly entries: readonly Entry[];
  readonly inputs?: unknown;
  readonly settings?: unknown;
  /** Unknown keys at the top belong to that client and are no typing errors. */
  readonly isForeign: boolean;
  readonly base: Path;
}

/** Parts without a meaning here are reported, except for its built-in servers. */
const partsOfApp = (
  value: unknown,
  { servers, inputs, notes = [] }: AppServers,
  findings: Findings,
): Parts => {
  findings.warnings.push(...notes);
  const held = servers.filter(({ why }) => why === undefined);
  const names = new Set<string>();
  for (const { at, left } of held) for (const what of left) addWarning(findings, at, `${what}, ignored`);
  const entries = held.map(({ name, at, entry }): Entry => {
    const { name: _, ...rest } = isObject(entry) ? entry : {};
    const key = freeName(name, names);
    names.add(key);
    return { value: isObject(entry) ? rest : entry, path: at, key, inForeignMap: true };
  });
  const settings = isObject(value) && isObject(value['a2c']) ? value['a2c'] : undefined;
  return { entries, inputs, settings, isForeign: true, base: [] };
};

const partsOf = (value: unknown, findings: Findings, base: Path = []): Parts => {
  const none: Parts = { entries: [], isForeign: false, base };
  if (Array.isArray(value)) return { ...none, entries: listed(value, []) };
  if (!isObject(value)) {
    addMistake(findings, [], `expected ${shapes}`);
    return none;
  }
  const hasMap = Object.hasOwn(value, 'mcpServers');
  if (!hasMap && !Object.hasOwn(value, 'servers')) {
    if (ofOneServer.some((key) => Object.hasOwn(value, key))) {
      return { ...none, entries: [{ value, path: [], inForeignMap: false }] };
    }
    // The map alone, as plugins of Claude Code have it (`external_plugins/github/.mcp.json` of its official ones).
    const map = Object.entries(value);
    if (map.length > 0 && map.every(([, entry]) => isObject(entry) && places.some((key) => key in entry))) {
      const entries = map.map(([key, entry]) => ({ value: entry, path: [key], key, inForeignMap: true }));
      return { ...none, entries, isForeign: true };
    }
    // Other settings in the settings file of VS Code do not matter here.
    if (base.length === 0 && isObject(value['mcp'])) return partsOf(value['mcp'], findings, ['mcp']);
    const [key, meant] = misspeltMap(value) ?? [];
    const remedy = key === undefined ? '' : `${pathText([key])} is no key: did you mean ${meant}? `;
    addMistake(findings, base, 'has no servers', `${remedy}expected ${shapes}`);
    return none;
  }
  if (hasMap && Object.hasOwn(value, 'servers')) {
    addMistake(findings, [...base, 'servers'], 'stands beside mcpServers', 'keep all servers in one of them');
  }
  const at = [...base, hasMap ? 'mcpServers' : 'servers'];
  const entries = entriesOf(value[String(at.at(-1))], at, value['mcpEnabled'] === false, findings);
  const foreign = hasMap || base.length > 0 || isForeignFile(entries);
  judgeTop({ value, foreign, hasMap, base }, findings);
  return { entries, inputs: value['inputs'], settings: value['a2c'] ?? undefined, isForeign: foreign, base };
};

const misspeltMap = (value: object): readonly [key: string, meant: string] | undefined => {
  if ('mcpServers' in value || 'servers' in value) return undefined;
  for (const key of Object.keys(value)) {
    const [meant] = nearest(key, ['mcpServers', 'servers']);
    if (meant !== undefined) return [key, meant];
  }
  return undefined;
};

const isForeignFile = (entries: readonly Entry[]): boolean =>
  entries.length > 0 && entries.every(({ value }) => isObject(value) && isForeign(value, false));

const listed = (list: readonly unknown[], path: Path): readonly Entry[] =>
  list.map((value, index) => ({ value, path: [...path, index], inForeignMap: false }));

const entriesOf = (held: unknown, at: Path, off: boolean, findings: Findings): readonly Entry[] => {
  const inForeignMap = at.at(-1) === 'mcpServers';
  if (!inForeignMap && Array.isArray(held)) return listed(held, at);
  if (!isObject(held)) {
    const list = inForeignMap ? '' : 'a list of servers or ';
    addMistake(findings, at, `expected ${list}an object with one server per name`);
    return [];
  }
  return Object.entries(held).map(([key, value]) => ({
    // DeepChat's main switch: a user who turned MCP off does not expect commands to run here.
    value: off && isObject(value) ? switchedOff(value) : value,
    path: [...at, key],
    key,
    inForeignMap,
  }));
};

interface Top {
  readonly value: Readonly<Record<string, unknown>>;
  readonly foreign: boolean;
  readonly hasMap: boolean;
  readonly base: Path;
}
const judgeTop = ({ value, foreign, hasMap, base }: Top, findings: Findings): void => {
  for (const key of Object.keys(value)) {
    if (['servers', 'mcpServers', 'inputs', 'a2c', '$schema'].includes(key)) continue;
    // The presenter handles the servers that start automatically (docs/presenter.md).
    if (hasMap && key === 'defaultServers') continue;
    if (hasMap && key === 'mcpEnabled') {
      if (value[key] === false)
        addWarning(findings, [...base, key], 'is false: every server counts as disabled');
    } else if (foreign) addWarning(findings, [...base, key], 'unknown key, ignored');
    else addMistake(findings, [...base, key], 'unknown key', 'expected servers, inputs, a2c');
  }
};
