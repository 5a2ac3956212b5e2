/** `a2c serve install` and `uninstall`: put the servers of another application behind `a2c serve`, and give them back. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { yesOrNo } from './answering.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import type { A2cError } from '../kernel/errors.ts';
import { badRequest, notFound } from '../kernel/errors.ts';
import { changeFile, defaultStateDir, foundAppFiles, ownCommand, sha256Of } from '../../adapters/index.ts';
import { edited, readJson, type Edit } from '../../machines/config/json-text.ts';
import { isObject } from '../../machines/protocol/json.ts';

export interface InstallOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}
type Path = readonly string[];
interface Program {
  readonly path: Path;
  readonly command: string;
  readonly args: readonly string[];
  readonly hasArgs: boolean;
}
interface Piece {
  readonly before: string;
  readonly after: string;
}
/** What was written to a file, so that it can be taken back. */
interface Installed {
  readonly before: string;
  readonly after: string;
  readonly pieces: readonly Piece[];
}

/** Names under which applications keep maps of servers. */
const maps = /^(?:mcpServers|mcp_servers|servers|context_servers)$/;
const deepest = 6;
const words = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');
function programsIn(value: unknown, path: Path = [], isMap = false): readonly Program[] {
  if (!isObject(value) || path.length > deepest) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key];
    if (!isMap || !isObject(inner)) return programsIn(inner, at, maps.test(key));
    const { command, args } = inner;
    if (typeof command !== 'string' || !(args === undefined || words(args))) return [];
    return [{ path: at, command, args: args ?? [], hasArgs: args !== undefined }];
  });
}
/** By npx where this command came by it, else the very file. */
function serveCommand(): readonly string[] {
  const own = ownCommand();
  const isByNpx = own.includes('a2c-actors');
  return [
    ...(isByNpx
      ? ['npx', '-y', '-p', 'a2c-actors', 'a2c']
      : [process.execPath, resolve(process.argv[1] ?? '')]),
    'serve',
    '--',
  ];
}
function behind({ command, args }: Program): readonly string[] | undefined {
  const all = [command, ...args];
  const own = serveCommand();
  if (own.every((word, n) => word === all[n])) return all.slice(own.length);
  const isServe = (word: string, n: number): boolean =>
    word === 'serve' &&
    all[n + 1] === '--' &&
    /(?:^|[\\/])a2c(?:\.cmd)?$|actors[\\/]main\.js$/.test(all[n - 1] ?? '');
  const at = all.findIndex(isServe);
  return at > 0 ? all.slice(at + 2) : undefined;
}
const editsOf = (path: Path, [command = '', ...args]: readonly string[], hasArgs = true): readonly Edit[] => [
  { path: [...path, 'command'], value: command },
  hasArgs || args.length > 0
    ? { path: [...path, 'args'], value: args }
    : { path: [...path, 'args'], remove: true },
];
function pieceOf(before: string, after: string): Piece {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = before.lastIndexOf('\n', start - 1) + 1;
  const left = before.indexOf('\n', before.length - end);
  const rest = left < 0 ? 0 : before.length - left;
  return { before: before.slice(from, before.length - rest), after: after.slice(from, after.length - rest) };
}
const cannotEdit = (file: string): A2cError =>
  badRequest(`${file} cannot be changed: it is no JSON`, 'docs/serve.md has what to paste there.');
function valueIn(file: string, text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw cannotEdit(file);
  return read.value;
}
function changedBy(file: string, text: string, edits: readonly Edit[]): string {
  const made = edited(text, edits);
  if (!made.ok) throw cannotEdit(file);
  return made.text;
}
function wrapped(file: string, before: string, programs: readonly Program[]): Installed {
  const pieces: Piece[] = [];
  let text = before;
  for (const { path, command, args } of programs) {
    const next = changedBy(file, text, editsOf(path, [...serveCommand(), command, ...args]));
    pieces.push(pieceOf(text, next));
    text = next;
  }
  return { before, after: text, pieces };
}
/** Byte for byte where the file is as it was left, else only what was written. */
function unwrapped(file: string, now: string, known: Installed | undefined): string {
  if (known?.after === now) return known.before;
  let text = now;
  for (const { before, after } of (known?.pieces ?? []).toReversed()) {
    const [head = '', ...rest] = text.split(after);
    if (rest.length === 1) text = head + before + (rest[0] ?? '');
  }
  for (const program of programsIn(valueIn(file, text))) {
    const own = behind(program);
    const first =
      known &&
      programsIn(valueIn(file, known.before)).find(({ path }) => path.join('\n') === program.path.join('\n'));
    if (own) text = changedBy(file, text, editsOf(program.path, own, first?.hasArgs ?? true));
  }
  return text;
}

const recordOf = (file: string): string =>
  join(defaultStateDir(), 'served', `${sha256Of([file]).slice(0, 32)}.json`);
function readRecord(file: string): Installed | undefined {
  try {
    return JSON.parse(readFileSync(recordOf(file), 'utf8')) as Installed;
  } catch {
    return undefined;
  }
}
async function filesOf(what: string | undefined, folder: string): Promise<readonly string[]> {
  const all = await foundAppFiles(folder);
  if (what !== undefined && /[/\\.]/.test(what)) return [resolve(folder, what)];
  const files = all.filter(({ app }) => app === what).map(({ file }) => file);
  if (files.length > 0) return files;
  const names = [...new Set(all.map(({ app }) => app))];
  throw notFound(
    what === undefined ? 'which application?' : `no file of '${what}' was found`,
    names.length > 0 ? `There are files of: ${names.join(', ')}. Or name a file.` : 'Name a file.',
  );
}
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw notFound(`${file} cannot be read`, 'Name an application or a file.');
  }
};
const shown = (list: readonly string[]): string =>
  list.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(' ');

async function mayWrite(
  context: CommandContext,
  file: string,
  { yes = false, dryRun = false }: InstallOptions,
): Promise<boolean> {
  if (dryRun || yes) return yes && !dryRun;
  if (!context.terminal.isInteractive)
    throw badRequest(
      'nothing was written: nobody can be asked',
      'Write it with --yes, or look with --dry-run.',
    );
  return (await yesOrNo(context.terminal, `Write ${file}?`, context.signal, false)) === true;
}

interface Direction {
  readonly heading: string;
  readonly done: string;
  readonly changed: (program: Program) => readonly string[] | undefined;
  readonly write: (file: string) => Promise<unknown>;
}
const install: Direction = {
  heading: 'servers to put behind a2c serve',
  done: 'they are behind a2c serve; a2c serve uninstall takes it back',
  changed: (program) => (behind(program) ? undefined : [...serveCommand(), program.command, ...program.args]),
  write: async (file) => {
    let made: Installed | undefined;
    const change = (text: string | null): string | null => {
      if (text === null || programsIn(valueIn(file, text)).every(behind)) return text;
      // An earlier installation is taken back first, so that there is one record for all.
      const before = unwrapped(file, text, readRecord(file));
      made = wrapped(file, before, programsIn(valueIn(file, before)));
      return made.after;
    };
    await changeFile(file, change, { backup: '.bak' });
    const record = JSON.stringify(made);
    await changeFile(recordOf(file), () => record);
  },
};
const uninstall: Direction = {
  heading: 'servers behind a2c serve',
  done: 'they are started by the client itself again',
  changed: behind,
  write: (file) => changeFile(file, (text) => text && unwrapped(file, text, readRecord(file))),
};
const command =
  ({ heading, done, changed, write }: Direction) =>
  async (context: CommandContext, what: string | undefined, options: InstallOptions): Promise<number> => {
    const { terminal, folder = process.cwd() } = context;
    const files = await filesOf(what, folder);
    const written = files.filter((file) => /\.jsonc?$/.test(file));
    if (written.length === 0) throw cannotEdit(files[0] ?? '');
    for (const file of written) {
      const programs = programsIn(valueIn(file, textOf(file))).filter((program) => changed(program));
      terminal.out(`${file}: ${programs.length} ${heading}`);
      for (const program of programs) {
        terminal.out(`  - ${program.path.at(-1)}: ${shown([program.command, ...program.args])}`);
        terminal.out(`  + ${program.path.at(-1)}: ${shown(changed(program) ?? [])}`);
      }
      if (programs.length === 0 || !(await mayWrite(context, file, options))) continue;
      await write(file);
      terminal.out(done);
    }
    return exitCodes.done;
  };
/** Keeps the old file as FILE.bak. */
export const serveInstall = command(install);
/** The file is as before, but for what its user has changed since. */
export const serveUninstall = command(uninstall);
