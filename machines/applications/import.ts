/** Judges servers of another application one by one, as entries of our own config. */
import { fieldsOf, isObject, withoutKey, type Fields } from '../protocol/json.ts';
import { translatedEntries, serversOf, textsIn, type App } from './app.ts';
import { freeName, type AppServer, type AppServers } from '../config/parse.ts';
import { flatEntry, foreignKeys, foreignLogin } from '../config/foreign.ts';
import { fingerprintText } from '../config/launch-config.ts';
import { isWithin, mistakeLine, pathText, type Mistake } from '../config/mistake.ts';
import { parseConfig, type Config } from '../config/parse.ts';
import { withTexts } from '../config/placeholders.ts';
import { kindOf, type ServerConfig } from '../config/schemas.ts';

export interface Project {
  readonly folder: string;
  /** Any other file may have been copied from anywhere. */
  readonly isKnown: boolean;
}
const workspace = '${workspaceFolder}';
export const isPath = (arg: unknown): boolean => typeof arg === 'string' && /^\.{1,2}([/\\]|$)/.test(arg);
export const isRelative = (path: string): boolean => !/^([/\\~$]|[a-z]:)/i.test(path);
/** With the separator used in the folder. */
export const below = (folder: string, path: string): string => {
  const sign = folder.includes('\\') ? '\\' : '/';
  const inner = path.replace(/^\.(?:[/\\]+|$)/, '').replace(/(?<![/\\])[/\\]+$/, '');
  return inner === '' ? folder : `${folder.replace(/(?<![/\\])[/\\]+$/, '')}${sign}${inner}`;
};

/** Runs in the project's folder; from an unknown place only paths that begin with a dot are adapted. */
function inProject(server: AppServer, project: Project | undefined): AppServer {
  const { entry } = server;
  if (!isObject(entry) || server.why !== undefined) return server;
  const root = project?.isKnown ? project.folder : undefined;
  const hasWorkspace = JSON.stringify(entry).includes(workspace);
  const meaning = root === undefined ? 'the folder that a2c runs in' : 'the folder of its project';
  const changed = [...server.changed, ...(hasWorkspace ? [`${workspace} is ${meaning}`] : [])];
  const made =
    root === undefined ? entry : fieldsOf(withTexts(entry, (text) => text.replaceAll(workspace, () => root)));
  const { command, args, cwd } = flatEntry(made).entry;
  const isLaunched = typeof command === 'string' && command !== '';
  const hasPath = isPath(command) || (Array.isArray(args) && args.some(isPath));
  if (!project || !isLaunched || !(project.isKnown || hasPath || isPath(cwd)))
    return { ...server, entry: made, changed };
  if (typeof cwd === 'string' && !isRelative(cwd)) return { ...server, entry: made, changed };
  const folder = typeof cwd === 'string' ? below(project.folder, cwd) : project.folder;
  const told = [...changed, 'cwd: the folder of its project'];
  return { ...server, entry: { ...made, cwd: folder }, changed: told };
}

interface ImportedServer {
  readonly from: string;
  /** A taken name gets a number. */
  readonly name: string;
  /** In the form of `mcpServers`; null when the server is not imported. */
  readonly entry: Fields | null;
  readonly server: ServerConfig | null;
  readonly changed: readonly string[];
  readonly left: readonly string[];
  readonly why?: string;
}
export interface Imported {
  readonly servers: readonly ImportedServer[];
  readonly inputs: readonly Fields[];
  readonly left: readonly string[];
}
type Present = Pick<Config, 'servers' | 'inputs' | 'leftOut'>;
interface ImportedFile {
  readonly duplicates?: readonly Mistake[];
  readonly project?: Project | undefined;
}

const readPlain = (file: Fields): AppServers => {
  const at = isObject(file['mcpServers']) ? 'mcpServers' : 'servers';
  const inputs = Array.isArray(file['inputs']) ? file['inputs'] : [];
  return { servers: translatedEntries(file[at], [at], {}), inputs };
};

/** Each server is validated alone. Without an app the file has `mcpServers` or `servers`. */
export function importFrom(
  value: unknown,
  app: App | undefined,
  present: Present,
  { duplicates = [], project }: ImportedFile = {},
): Imported {
  const read = app ? serversOf(app, value) : readPlain(fieldsOf(value));
  const { inputs, left } = inputsOf(read.inputs, present);
  const known = [...present.inputs.map(({ id }) => ({ type: 'promptString', id })), ...inputs];
  const taken = new Map<string, ServerConfig | undefined>([
    ...(present.leftOut ?? []).map(({ name }) => [name, undefined] as const),
    ...present.servers.map((server) => [server.name, server] as const),
  ]);
  const told = new Set<Mistake>();
  const servers = read.servers.map((given) => {
    const place = pathText(given.at);
    const twice = duplicates.filter(({ path }) => isWithin(path, place) || isWithin(place, path));
    for (const each of twice) told.add(each);
    const [first] = twice;
    const once = first ? { ...given, why: `${first.path}: ${first.message}` } : inProject(given, project);
    const made = importedServer(once, known, taken);
    if (made.server) taken.set(made.name, made.server);
    return made;
  });
  const used = new Set(servers.flatMap(({ entry }) => (entry ? idsIn(entry) : [])));
  const others = duplicates.filter((each) => !told.has(each)).map((each) => mistakeLine(each));
  const notes = [...left, ...(read.notes ?? []), ...others];
  return { servers, inputs: inputs.filter(({ id }) => used.has(String(id))), left: notes };
}
const idsIn = (entry: Fields): readonly string[] =>
  [...JSON.stringify(entry).matchAll(/\$\{input:([^}]+)\}/g)].map(([, id = '']) => id);

function inputsOf(
  given: readonly unknown[],
  present: Present,
): { readonly inputs: readonly Fields[]; readonly left: readonly string[] } {
  const ids = new Set(present.inputs.map(({ id }) => id));
  const inputs: Fields[] = [];
  const left: string[] = [];
  for (const [n, input] of given.entries()) {
    const parsed = parseConfig({ mcpServers: {}, inputs: [input] });
    const id = fieldsOf(input)['id'];
    if (!parsed.ok)
      left.push(...parsed.mistakes.map((m) => mistakeLine(m).replace('inputs[0]', `inputs[${n}]`)));
    else if (!ids.has(String(id))) {
      ids.add(String(id));
      inputs.push(fieldsOf(input));
    }
  }
  return { inputs, left };
}

const isWarningOfLoss = (line: string): boolean => line.includes('ignored') || line.includes('not supported');
function importedServer(
  given: AppServer,
  inputs: readonly Fields[],
  taken: ReadonlyMap<string, ServerConfig | undefined>,
): ImportedServer {
  const { name: from, changed, left } = given;
  const none = { from, name: from, entry: null, server: null, changed: [], left: [] };
  if (given.why !== undefined) return { ...none, why: given.why };
  const name = freeName(from, taken);
  const entry = isObject(given.entry) ? withoutKey(given.entry, 'name') : given.entry;
  // A server may be called `__proto__`.
  const parsed = parseConfig({ mcpServers: Object.fromEntries([[name, entry]]), inputs });
  const strip = (line: string): string => line.replace(placeOf(name), '');
  if (!parsed.ok)
    return { ...none, why: parsed.mistakes.map((mistake) => strip(mistakeLine(mistake))).join('; ') };
  const [server] = parsed.config.servers;
  if (!server || !isObject(entry))
    return { ...none, why: parsed.config.warnings.map(strip).join('; ') || 'it is no server' };
  const isThere = [...taken].some(
    ([each, other]) => other !== undefined && isNumbered(each, from) && isSame(other, server),
  );
  if (isThere) return { ...none, why: 'the same server is there already' };
  const warnings = parsed.config.warnings.map(strip);
  const lost = warnings.filter(isWarningOfLoss);
  return {
    from,
    name,
    entry: inOurWords(entry, server),
    server,
    changed: [
      ...(name === from ? [] : [`its name: ${JSON.stringify(from)} is taken`]),
      ...changed,
      ...Object.entries(entry).flatMap(([key, names]) =>
        isAllowing(key) && !textsIn(names).includes('*') ? [`${key}: the only tools, a2c.tools`] : [],
      ),
      ...warnings.filter((line) => !isWarningOfLoss(line)),
    ],
    left: [...left, ...lost],
  };
}
/** Keys without a meaning here are left out, because each start would warn of them. */
function inOurWords(given: Fields, server: ServerConfig): Fields {
  const { entry } = flatEntry(given);
  const made = new Map<string, unknown>();
  for (const [key, value] of Object.entries(entry)) {
    const row = foreignKeys.find((each) => each.key === key);
    if (!row || row.does === 'unsupported') continue;
    if (row.does === 'allow') {
      if (Array.isArray(value) && !value.includes('*'))
        made.set('a2c', { ...fieldsOf(made.get('a2c') ?? entry['a2c']), tools: value });
    } else if (row.to?.[0] === 'type') {
      const word = kindOf(value) === undefined || key !== 'type' ? wordOf(server) : value;
      if (word !== undefined && value !== '' && value !== null) made.set('type', word);
    } else if (row.does === 'login') {
      const { oauth } = foreignLogin(value);
      if (oauth) made.set(key, oauth);
    } else if (row.to?.[0] !== 'server_parameters') made.set(key, made.get(key) ?? value);
    else if (value !== '' && value !== null) made.set(String(row.to[1]), value);
  }
  return Object.fromEntries(made);
}
const wordOf = (server: ServerConfig): string | undefined => {
  if (server.kind !== 'streamable') return server.kind;
  return server.remote.isGuess ? undefined : 'http';
};
const isAllowing = (key: string): boolean =>
  foreignKeys.some((row) => row.key === key && row.does === 'allow');
/** `mcpServers.git.` or `mcpServers["my git"].` at the start of an error. */
const placeOf = (name: string): RegExp => {
  const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^mcpServers(?:\\.${escaped(name)}|\\[${escaped(JSON.stringify(name))}\\])(?:\\.|: )?`);
};
const isNumbered = (name: string, from: string): boolean =>
  name === from || (name.startsWith(`${from}-`) && /^\d+$/.test(name.slice(from.length + 1)));
const isSame = (a: ServerConfig, b: ServerConfig): boolean =>
  fingerprintText(a) === fingerprintText(b) &&
  JSON.stringify(a.settings) === JSON.stringify(b.settings) &&
  JSON.stringify([a.disabled, a.forbiddenTools]) === JSON.stringify([b.disabled, b.forbiddenTools]);
