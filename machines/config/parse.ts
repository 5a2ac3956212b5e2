import { isForeign } from './foreign/foreign.ts';
import { readInputs, type InputDefinition } from './inputs.ts';
import {
  addMistake,
  addWarning,
  check,
  isObject,
  pathText,
  type Findings,
  type Mistake,
  type Path,
} from './mistake.ts';
import { readJson } from './foreign/json-text.ts';
import { placeholdersIn } from './placeholders.ts';
import { readServer, type Entry } from './read-server.ts';
import type { ServerConfig } from './server.ts';
import { settingsSchema, type Settings } from './settings.ts';

export interface Config {
  /** Where it came from, for people. */
  readonly file?: string;
  /** In the order of the file; no two share a name. */
  readonly servers: readonly ServerConfig[];
  readonly inputs: readonly InputDefinition[];
  /** The top-level `a2c`: defaults for all servers. */
  readonly settings: Settings;
  /** Servers whose config names inputs: they cannot start before those have values. */
  readonly needsInputs: readonly { readonly server: string; readonly ids: readonly string[] }[];
  /** One line each, with the path inside the file. */
  readonly warnings: readonly string[];
}
/** A config without any mistake, or all its mistakes: a file with one wrong server starts nothing. */
export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const shapes =
  'a server, a list of servers, {"servers": …, "inputs": […]}, or {"mcpServers": {name: {"command": …}}}';
/** Keys that only a single server has; a file that has one of them at its top is one server. */
const ofOneServer = ['server_parameters', 'type', 'command', 'url', 'baseUrl', 'serverUrl', 'httpUrl'];

interface Around {
  /** Where it comes from. */
  readonly file?: string;
  /** Of the config that it becomes a part of. */
  readonly inputs?: readonly InputDefinition[];
}
/**
 * Reads a config in the protocol's own shape (a2c-wire §1.9) or in that of Claude Desktop, Cursor, VS Code and
 * DeepChat; shapes, foreign keys and settings stand in docs/config.md. Expands nothing.
 */
export const parseConfig = (value: unknown, where: Around = {}): ParsedConfig => {
  const findings: Findings = { mistakes: [], warnings: [] };
  const parts = partsOf(value, findings);
  const expands = isObject(parts.settings) ? parts.settings['expand'] : undefined;
  const servers = distinct(
    parts.entries.map((entry) => ({ ...entry, expands })),
    findings,
  );
  const inputs = readInputs(parts.inputs, [...parts.base, 'inputs'], parts.isForeign, findings);
  const settings =
    parts.settings === undefined
      ? {}
      : check(settingsSchema, parts.settings, findings, (path) => [...parts.base, 'a2c', ...path]);
  const needsInputs = servers.flatMap((server) => {
    const ids = placeholdersIn(server.raw);
    return ids.length === 0 ? [] : [{ server: server.name, ids }];
  });
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
  return { ok: true, config: { ...file, servers, inputs, settings: settings ?? {}, needsInputs, warnings } };
};

/** The text of a file, or of a part of one that somebody typed. */
export const parseConfigText = (text: string, where: Around = {}): ParsedConfig => {
  const read = readJson(text);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  const parsed = parseConfig(read.value, where);
  if (read.duplicates.length === 0) return parsed;
  return { ok: false, mistakes: [...read.duplicates, ...(parsed.ok ? [] : parsed.mistakes)] };
};

interface Parts {
  readonly entries: readonly Entry[];
  readonly inputs?: unknown;
  readonly settings?: unknown;
  /** Written for another client: unknown keys at the top are theirs, not typing errors. */
  readonly isForeign: boolean;
  /** Where in the file all this stands. */
  readonly base: Path;
}

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
    // The settings of VS Code: whatever else stands there is none of ours.
    if (base.length === 0 && isObject(value['mcp'])) return partsOf(value['mcp'], findings, ['mcp']);
    addMistake(findings, base, 'holds no servers', `expected ${shapes}`);
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
    // DeepChat's main switch: whoever turned MCP off there does not expect commands to run here.
    value: off && isObject(value) ? { ...without(value, ['disable', 'enabled']), disabled: true } : value,
    path: [...at, key],
    key,
    inForeignMap,
  }));
};

const without = (
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

interface Top {
  readonly value: Readonly<Record<string, unknown>>;
  readonly foreign: boolean;
  readonly hasMap: boolean;
  readonly base: Path;
}
const judgeTop = ({ value, foreign, hasMap, base }: Top, findings: Findings): void => {
  for (const key of Object.keys(value)) {
    if (['servers', 'mcpServers', 'inputs', 'a2c', '$schema'].includes(key)) continue;
    // Which servers start by themselves: a presenter knows (docs/presenter.md).
    if (hasMap && key === 'defaultServers') continue;
    if (hasMap && key === 'mcpEnabled') {
      if (value[key] === false)
        addWarning(findings, [...base, key], 'is false: every server counts as disabled');
    } else if (foreign) addWarning(findings, [...base, key], 'unknown key, ignored');
    else addMistake(findings, [...base, key], 'unknown key', 'expected servers, inputs, a2c');
  }
};

const distinct = (entries: readonly Entry[], findings: Findings): readonly ServerConfig[] => {
  const places = new Map<string, string>();
  return entries.flatMap((entry) => {
    const server = readServer(entry, findings);
    // A broken twin is a twin as well: its name counts although it gives no server.
    const inside = isObject(entry.value) ? entry.value['name'] : undefined;
    const name = entry.key ?? (typeof inside === 'string' ? inside : undefined);
    if (name === undefined) return [];
    const earlier = places.get(name);
    if (earlier === undefined) places.set(name, pathText(entry.path));
    else
      addMistake(
        findings,
        [...entry.path, 'name'],
        `${JSON.stringify(name)} is already the name of ${earlier}`,
      );
    return server === undefined ? [] : [server];
  });
};
