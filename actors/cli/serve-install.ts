/** `a2c serve install` and `uninstall`: put the servers of another application behind `a2c serve`, and take them back. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { mayWrite } from './answering.ts';
import type { WriteOptions } from './options.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { type A2cError, badRequest, notFound } from '../kernel/errors.ts';
import { changeFile } from '../../adapters/storage/settings.ts';
import { foundAppFiles } from '../../adapters/applications/config-imports.ts';
import { ownCommand, typedInShell } from '../../adapters/optional-packages.ts';
import { edited, type Edit } from '../../machines/config/json-edits.ts';
import { readJson } from '../../machines/config/json-text.ts';
import { isObject } from '../../machines/protocol/json.ts';

type Path = readonly string[];
interface Program {
  readonly path: Path;
  readonly command: string;
  readonly args: readonly string[];
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
    return [{ path: at, command, args: args ?? [] }];
  });
}
/** By npx where this command came by it, else the very file. */
function serveCommand(): readonly string[] {
  const own = ownCommand();
  const isByNpx = own.includes('a2c-actors');
  const npx = ['npx', '-y', '-p', 'a2c-actors', 'a2c'];
  return [...(isByNpx ? npx : [process.execPath, resolve(process.argv[1] ?? '')]), 'serve', '--'];
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
const editsOf = (path: Path, [command = '', ...args]: readonly string[]): readonly Edit[] => [
  { path: [...path, 'command'], value: command },
  args.length > 0 ? { path: [...path, 'args'], value: args } : { path: [...path, 'args'], remove: true },
];
const cannotEdit = (file: string): A2cError =>
  badRequest(`${file} cannot be changed: it is no JSON`, 'docs/serve.md has what to paste there.');
function valueIn(file: string, text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw cannotEdit(file);
  return read.value;
}
/** Only the commands and arguments of these entries; all else in the file stays. */
function changedBy(file: string, text: string, changed: Direction['changed']): string {
  const programs = programsIn(valueIn(file, text));
  const made = edited(
    text,
    programs.flatMap((program) => {
      const words = changed(program);
      return words ? editsOf(program.path, words) : [];
    }),
  );
  if (!made.ok) throw cannotEdit(file);
  return made.text;
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

interface Direction {
  readonly heading: string;
  readonly done: string;
  readonly changed: (program: Program) => readonly string[] | undefined;
  readonly backup?: string;
}
const install: Direction = {
  heading: 'servers to put behind a2c serve',
  done: 'they are behind a2c serve; a2c serve uninstall takes it back',
  changed: (program) => (behind(program) ? undefined : [...serveCommand(), program.command, ...program.args]),
  backup: '.bak',
};
const uninstall: Direction = {
  heading: 'servers behind a2c serve',
  done: 'they are started by the client itself again',
  changed: behind,
};
const command =
  ({ heading, done, changed, backup }: Direction) =>
  async (context: CommandContext, what: string | undefined, options: WriteOptions): Promise<number> => {
    const { terminal, folder = process.cwd() } = context;
    const files = await filesOf(what, folder);
    const written = files.filter((file) => /\.jsonc?$/.test(file));
    if (written.length === 0) throw cannotEdit(files[0] ?? '');
    for (const file of written) {
      const programs = programsIn(valueIn(file, textOf(file))).filter((program) => changed(program));
      terminal.out(`${file}: ${programs.length} ${heading}`);
      for (const program of programs) {
        terminal.out(`  - ${program.path.at(-1)}: ${typedInShell([program.command, ...program.args])}`);
        terminal.out(`  + ${program.path.at(-1)}: ${typedInShell(changed(program) ?? [])}`);
      }
      if (programs.length === 0 || !(await mayWrite(context, file, options))) continue;
      await changeFile(
        file,
        (text) => text && changedBy(file, text, changed),
        backup === undefined ? {} : { backup },
      );
      terminal.out(done);
    }
    return exitCodes.done;
  };
/** Keeps the old file as FILE.bak. */
export const serveInstall = command(install);
export const serveUninstall = command(uninstall);
