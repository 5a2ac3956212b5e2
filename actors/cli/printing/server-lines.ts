import { columnsOf, padded, readConfigText } from '../../../adapters/index.ts';
import { parseConfigText, readJson } from '../../../machines/config/index.ts';
import type { Computer } from '../../api/computer/computer-handle.ts';
import type { CatalogStatus } from '../../api/computer/server-handle.ts';
import { statusFact, tellFact } from './facts.ts';
import { nameColumns, noiseLine, serverLine } from './answers.ts';
import { usage } from './show-failure.ts';
import type { Context } from '../context.ts';
import { accepted } from '../source.ts';

export const serversHelp = `servers list           the MCP servers and where they stand
servers start NAME     start a server
servers stop NAME      stop a server: its calls may end first; Ctrl-C meanwhile hurries it
servers restart NAME   stop it, then start it
servers retry NAME     try one at once that waits for its next try, or rests after too many
servers add CONFIG     add servers, or change them: JSON as in a config file, or the name of such a file
servers remove NAME    end a server and forget it
servers lists [NAME]   where each list of each server stands, and why its entries changed last`;

interface How {
  readonly facts?: boolean;
}
/** Changes that are shown of a list unless its server is named. */
const fewChanges = 3;

/** What `servers …` does at the prompt. */
export class ServerLines {
  readonly #context: Context;
  readonly #computer: Computer;
  readonly #how: How;
  /** The servers that the person waits for. */
  readonly #waitsFor = new Set<string>();

  constructor(context: Context, computer: Computer, how: How) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
  }
  /** False: there is no such word. */
  async take(word: string, rest: string): Promise<boolean> {
    const computer = this.#computer;
    if (word === 'list') this.list();
    else if (word === 'lists') this.#lists(rest);
    else if (word === 'start') await this.#waitFor(rest, computer.startServer(rest));
    else if (word === 'stop') await this.#waitFor(rest, computer.stopServer(rest));
    else if (word === 'restart') await this.#waitFor(rest, computer.restartServer(rest));
    else if (word === 'retry') await this.#waitFor(rest, computer.retryServer(rest));
    else if (word === 'remove') await this.#waitFor(rest, computer.removeServer(rest));
    else if (word === 'add') await this.#add(rest);
    else return false;
    return true;
  }
  /** True: a server was on its way, and is told to stop, or to hurry where it stops already. */
  interrupt(): boolean {
    // Whoever waits hears how it ended.
    for (const name of this.#waitsFor) this.#computer.stopServer(name).catch(() => {});
    return this.#waitsFor.size > 0;
  }
  list(indent = ''): void {
    const { terminal } = this.#context;
    const servers = this.#computer.servers();
    const width = Math.max(...servers.map(({ name }) => columnsOf(name)));
    for (const server of servers) {
      terminal.out(indent + serverLine(server, width));
      if (indent !== '' && server.noise) terminal.out(`${indent}  ${noiseLine(server.noise)}`);
      tellFact(this.#context, this.#how, statusFact(server));
    }
  }
  async #waitFor<T>(name: string, order: Promise<T>): Promise<T> {
    this.#waitsFor.add(name);
    return order.finally(() => this.#waitsFor.delete(name));
  }
  async #add(text: string): Promise<void> {
    const config = /^[[{]/.test(text) ? judged(text) : await fileOf(text);
    const parts = partsOf(config);
    if (parts.length < 2) return this.#addOne(parts[0] ?? { name: '', config });
    const { terminal } = this.#context;
    const tell = (name: string, error: unknown): void =>
      terminal.out(
        `${padded(name, nameColumns)} error: ${error instanceof Error ? error.message : String(error)}`,
      );
    await Promise.all(
      parts.map(async (part) => this.#addOne(part).catch((error: unknown) => tell(part.name, error))),
    );
  }
  async #addOne({ name, config }: Part): Promise<void> {
    const server = await this.#waitFor(name, this.#computer.addOrUpdateServer(config));
    this.#context.terminal.out(serverLine(server));
  }
  #lists(name: string): void {
    const { terminal } = this.#context;
    const some = this.#computer.catalogs().filter(({ server }) => name === '' || server === name);
    if (some.length === 0) terminal.out('no lists');
    for (const list of some) {
      terminal.out(listLine(list));
      const changes = list.changes.toSorted((a, b) => b.revision - a.revision);
      const shown = name === '' ? changes.slice(0, fewChanges) : changes;
      for (const { change, key, why, at } of shown)
        terminal.out(`  ${change} ${key}: ${why}${at === undefined ? '' : `, ${at}`}`);
      if (shown.length < changes.length)
        terminal.out(`  and ${changes.length - shown.length} more: servers lists ${list.server}`);
    }
  }
}

const listLine = ({ server, list, state, entries, revision, failures }: CatalogStatus): string =>
  `${padded(server, nameColumns)} ${list.padEnd(17)} ${state}, ${entries} entries, revision ${revision}` +
  (failures > 0 ? `, ${failures} refreshes failed in a row` : '');

/** What a text says, once it has been taken as a config: its mistakes are told with the name of its file. */
function judged(text: string, file?: string): unknown {
  accepted(parseConfigText(text), file);
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}
async function fileOf(file: string): Promise<unknown> {
  if (file === '') throw usage('servers add CONFIG (JSON, or the name of a file)');
  const text = await readConfigText(file);
  if (typeof text !== 'string') return accepted({ ok: false, mistakes: [text] }, file);
  return judged(text, file);
}
/** A config with one server of several. */
interface Part {
  readonly name: string;
  readonly config: unknown;
}
/** Each server with everything around it (inputs); a config is judged by whoever takes it. */
function partsOf(config: unknown): readonly Part[] {
  if (Array.isArray(config)) return config.map((one: unknown) => ({ name: nameIn(one), config: [one] }));
  const top = (config ?? {}) as Readonly<Record<string, unknown>>;
  const isOurs = 'mcpServers' in top || 'servers' in top;
  // The settings of VS Code have all of it under one key.
  const around = (isOurs ? top : (top['mcp'] ?? top)) as Readonly<Record<string, unknown>>;
  const at = 'mcpServers' in around ? 'mcpServers' : 'servers';
  const held = around[at];
  const withOnly = (some: unknown): unknown => ({ ...around, [at]: some });
  if (Array.isArray(held))
    return held.map((one: unknown) => ({ name: nameIn(one), config: withOnly([one]) }));
  if (typeof held === 'object' && held !== null)
    return Object.entries(held).map(([name, one]) => ({ name, config: withOnly({ [name]: one }) }));
  return [{ name: nameIn(config), config }];
}
function nameIn(server: unknown): string {
  const { name } = (server ?? {}) as Readonly<Record<string, unknown>>;
  return typeof name === 'string' ? name : '';
}
