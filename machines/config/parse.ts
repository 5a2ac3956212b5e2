import { isForeign } from './foreign/foreign.ts';
import { readInputs, type InputDefinition } from './inputs.ts';
import {
  addMistake,
  addWarning,
  check,
  isWithin,
  mistakeLine,
  pathText,
  type Findings,
  type Mistake,
  type Path,
} from './mistake.ts';
import { readJson } from './foreign/json-text.ts';
import { placeholdersIn } from './placeholders.ts';
import { readEntries, type LeftOut } from './entries/entries.ts';
import { freeName, serversOf, switchedOff, type App } from './importing/app.ts';
import type { Entry } from './entries/read-server.ts';
import type { ServerConfig } from './server.ts';
import { settingsSchema, type Settings } from './settings.ts';
import { isObject } from '../protocol/json.ts';

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
  /** Servers of a file that are wrong and not taken; absent: there are none. */
  readonly leftOut?: readonly LeftOut[];
}
/** A config without any mistake, or all its mistakes. */
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
  /** Keys that stand twice in the text of the value. */
  readonly duplicates?: readonly Mistake[];
  /** The application whose words it is written in. */
  readonly app?: App | undefined;
  /** A server or an input that is wrong is left out, with a warning; without this it is a mistake of the whole. */
  readonly isLenient?: boolean;
  /** Also when no server is right; otherwise the mistakes of all are those of the whole. */
  readonly mayBeEmpty?: boolean;
}
/**
 * Reads a config in the protocol's own shape (a2c-wire §1.9) or in that of Claude Desktop, Cursor, VS Code and
 * DeepChat; shapes, foreign keys and settings stand in docs/config.md. Expands nothing.
 */
export const parseConfig = (value: unknown, where: Around = {}): ParsedConfig => {
  const findings: Findings = { mistakes: [], warnings: [] };
  const { app, duplicates = [], isLenient = false, mayBeEmpty = false } = where;
  const parts = app ? partsOfApp(value, app, findings) : partsOf(value, findings);
  judgeDuplicates(duplicates, parts, app !== undefined, findings);
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
  // Where none is right the mistakes say more than a config without servers.
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
/** Those of a server are its own; any other leaves open what the file says, where the file is ours. */
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

/** The text of a file, or of a part of one that somebody typed. */
export const parseConfigText = (text: string, where: Around = {}): ParsedConfig => {
  const read = readJson(text);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  return parseConfig(read.value, { ...where, duplicates: read.duplicates });
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

/** Servers of another application's file, in our words. What it does not mean for us is told, but for its own built-in servers. */
const partsOfApp = (value: unknown, app: App, findings: Findings): Parts => {
  const { servers, inputs, notes = [] } = serversOf(app, value);
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
    // Which servers start by themselves: a presenter knows (docs/presenter.md).
    if (hasMap && key === 'defaultServers') continue;
    if (hasMap && key === 'mcpEnabled') {
      if (value[key] === false)
        addWarning(findings, [...base, key], 'is false: every server counts as disabled');
    } else if (foreign) addWarning(findings, [...base, key], 'unknown key, ignored');
    else addMistake(findings, [...base, key], 'unknown key', 'expected servers, inputs, a2c');
  }
};
