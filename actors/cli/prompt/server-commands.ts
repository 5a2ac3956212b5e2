import type { ConfigInput } from '../../../machines/config/config-input.ts';
import { failureOf, type A2cError } from '../../kernel/errors.ts';
import { columnsOf, padded, readConfigText } from '../../../adapters/index.ts';
import { parseConfigText } from '../../../machines/config/parse.ts';
import { readJson } from '../../../machines/config/json-text.ts';
import type { Computer } from '../../api/computer-handle.ts';
import type { CatalogStatus, ServerStatus } from '../../servers/server-handle.ts';
import { cannotOrder } from '../../api/computer-status.ts';
import type { CommandContext } from '../context.ts';
import { nameColumns, noiseLine, serverLine, logLine, whyText } from '../printing/servers.ts';
import { statusFact, tellFact } from '../printing/failures.ts';
import { acceptedConfig } from '../../api/config-files.ts';
import { usage, type PromptCommand, type PromptCommands } from './commands.ts';

interface ServerCommandOptions {
  readonly facts?: boolean;
}
const fewChanges = 3;

export class ServerCommands {
  readonly #context: CommandContext;
  readonly #computer: Computer;
  readonly #how: ServerCommandOptions;
  readonly #waitsFor = new Set<string>();
  readonly #lost = new Map<string, { readonly at: string; readonly message: string }>();

  constructor(context: CommandContext, computer: Computer, how: ServerCommandOptions) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
    computer.on('server.changed', ({ name, state, failure }) => {
      if (state === 'recovering' && failure)
        this.#lost.set(name, { at: new Date().toISOString(), message: failure.message });
    });
  }
  addTo(commands: PromptCommands): void {
    const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
      commands.add('Servers', names, description);
    add(['servers', 'servers list', 'mcp'], 'the MCP servers and where they stand').does(() => this.list());
    this.#addOrders(add);
    add(['servers lists'], 'where each list of each server stands, and why its entries changed last')
      .argument('[server]', 'of this server alone')
      .is({ isVerbatim: true })
      .does((name = '') => this.#lists(name));
    add(['logs', 'servers logs'], 'the last lines that a server wrote to stderr or logged')
      .argument('<server>')
      .argument('[n]', 'so many (default: 20)')
      .does((name: string, count = '20') => this.#logs(name, count));
    add(['why'], 'why a server is not ready, or why a call failed, from its trace')
      .argument('[server|trace]', 'default: the last trace of a failure, else the servers that are not ready')
      .is({ isVerbatim: true })
      .does((name = '') => this.#whyOf(name));
  }
  #addOrders(add: (names: readonly [string, ...string[]], description: string) => PromptCommand): void {
    const computer = this.#computer;
    const order = (
      names: readonly [string, ...string[]],
      description: string,
      act: (name: string) => Promise<unknown>,
      takesAll = false,
    ): PromptCommand =>
      add(names, description)
        .argument('<server>', takesAll ? 'a server, or all' : 'a server')
        .is({ isVerbatim: true })
        .does(async (name: string) => {
          if (takesAll && name.toLowerCase() === 'all') await this.#all(act);
          else await this.#waitFor(name, act(name));
        });
    order(['servers start', 'start'], 'start a server, or all', (name) => computer.startServer(name), true);
    order(
      ['servers stop', 'stop'],
      'stop a server, or all: its calls may end first; Ctrl-C meanwhile hurries it',
      (name) => computer.stopServer(name),
      true,
    );
    order(['servers restart', 'restart'], 'stop it, then start it', (name) => computer.restartServer(name));
    order(['servers retry', 'retry'], 'try one at once that waits for its next try, or gave up', (name) =>
      computer.retryServer(name),
    );
    add(['servers add', 'server add'], 'add servers, or change them, until this ends')
      .argument('<json|file>', 'JSON as in a config file, or the name of such a file')
      .is({ isVerbatim: true })
      .does((config: string) => this.#add(config.replace(/^@/, '')));
    order(['servers enable', 'enable'], 'let a disabled server start, until this ends', (name) =>
      this.#disable(name, false),
    );
    order(['servers disable', 'disable'], 'end a server and keep it from starting, until this ends', (name) =>
      this.#disable(name, true),
    );
    order(['servers remove', 'server rm', 'server remove'], 'end a server and forget it', (name) =>
      computer.removeServer(name),
    );
  }
  /** At Ctrl-C; false when there was none. A server that is already stopping is ended sooner. */
  interrupt(): boolean {
    // Ignores the result, because the waiting command reports how the start ended.
    for (const name of this.#waitsFor) this.#computer.stopServer(name).catch(() => {});
    return this.#waitsFor.size > 0;
  }
  list(indent = ''): void {
    const { terminal } = this.#context;
    const servers = this.#computer.servers();
    const width = Math.max(...servers.map(({ name }) => columnsOf(name)));
    for (const server of servers) {
      terminal.out(indent + serverLine(server, width));
      if (indent !== '' && server.state === 'ready') this.#tellLoss(server.name, `${indent}  `);
      if (indent !== '' && server.noise) terminal.out(`${indent}  ${noiseLine(server.noise)}`);
      tellFact(this.#context, this.#how, statusFact(server));
    }
  }
  #unknown(name: string): A2cError {
    return cannotOrder(
      name,
      undefined,
      this.#computer.servers().map((each) => each.name),
    );
  }
  #mustBeKnown(name: string): ServerStatus {
    const server = this.#computer.servers().find((each) => each.name === name);
    if (!server) throw this.#unknown(name);
    return server;
  }
  #logs(name: string, count: string): unknown {
    const { terminal } = this.#context;
    if (!/^[1-9]\d*$/.test(count)) throw usage('logs <server> [n]');
    this.#mustBeKnown(name);
    const lines = this.#computer.logs(name).slice(-Number(count));
    for (const line of lines) terminal.out(logLine(line));
    if (lines.length === 0) terminal.out(`${name} wrote nothing`);
    return lines;
  }
  async #whyOf(name: string): Promise<unknown> {
    const trace = name === '' ? this.#computer.status().traces.at(-1)?.file : name;
    const isFile = trace !== undefined && /\.ndjson(\.gz)?$/.test(trace);
    if (isFile)
      return void (await (await this.#context.laboratory?.())?.why(this.#context, trace, { json: false }));
    if (name !== '') return this.#why(name);
    const down = this.#computer.servers().filter(({ state }) => state !== 'ready' && state !== 'disabled');
    if (down.length === 0) this.#context.terminal.out('nothing has failed so far');
    return down.map((server) => this.#why(server.name));
  }
  #why(name: string): unknown {
    const server = this.#mustBeKnown(name);
    for (const line of whyText(server)) this.#context.terminal.outText(line);
    const last = server.waits && this.#computer.logs(name).at(-1);
    if (last) this.#context.terminal.out(`it wrote last: ${logLine(last)}`);
    this.#tellLoss(name);
    const canTry = ['waiting', 'open', 'needsInput'].includes(server.state);
    if (canTry) this.#context.terminal.out(`try it now: retry ${name}`);
    return server;
  }
  #tellLoss(name: string, indent = ''): void {
    const loss = this.#lost.get(name);
    if (!loss) return;
    const { at, message } = loss;
    const lostWith = this.#computer
      .history()
      .filter((call) => call.server === name && call.reason === message);
    const calls = lostWith.map(({ tool }) => tool).join(', ');
    const lost = lostWith.length === 0 ? '' : `; ${lostWith.length === 1 ? 'call' : 'calls'} lost: ${calls}`;
    this.#context.terminal.out(`${indent}last lost at ${at.slice(11, 19)} UTC: ${message}${lost}`);
  }
  async #disable(name: string, disabled: boolean): Promise<void> {
    const { servers, serverSettings } = this.#computer.config();
    const [server, settings] = [servers[name], serverSettings[name]];
    if (!server) throw this.#unknown(name);
    const entry = { ...server, name, disabled, a2c: settings };
    this.#context.terminal.out(serverLine(await this.#computer.addOrUpdateServer({ servers: [entry] })));
  }
  async #all(act: (name: string) => Promise<unknown>): Promise<void> {
    const { terminal } = this.#context;
    const names = this.#computer.servers().flatMap(({ name, state }) => (state === 'disabled' ? [] : [name]));
    const tell = (name: string, error: unknown): void =>
      terminal.out(`${padded(name, nameColumns)} error: ${failureOf(error).message}`);
    await Promise.all(
      names.map(async (name) => this.#waitFor(name, act(name)).catch((error: unknown) => tell(name, error))),
    );
    this.list();
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
  async #addOne({ name, config }: ServerConfigPart): Promise<void> {
    const server = await this.#waitFor(name, this.#computer.addOrUpdateServer(config as ConfigInput));
    this.#context.terminal.out(serverLine(server));
  }
  #lists(name: string): unknown {
    const { terminal } = this.#context;
    const some = this.#computer.catalogs().filter(({ server }) => name === '' || server === name);
    if (some.length === 0) terminal.out('no lists');
    for (const list of some) {
      terminal.out(listLine(list));
      const changes = list.changes.toSorted((a, b) => b.revision - a.revision);
      const shown = name === '' ? changes.slice(0, fewChanges) : changes;
      for (const { change, key, why } of shown) terminal.out(`  ${change} ${key}: ${why}`);
      if (shown.length < changes.length)
        terminal.out(`  and ${changes.length - shown.length} more: servers lists ${list.server}`);
    }
    return some;
  }
}

const listLine = ({ server, list, state, entries, revision, failures }: CatalogStatus): string =>
  `${padded(server, nameColumns)} ${list.padEnd(17)} ${state}, ${entries} entries, revision ${revision}` +
  (failures > 0 ? `, ${failures} refreshes failed in a row` : '');

function judged(text: string, file?: string): unknown {
  acceptedConfig(parseConfigText(text), file);
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}
async function fileOf(file: string): Promise<unknown> {
  const text = await readConfigText(file);
  if (typeof text !== 'string') return acceptedConfig({ ok: false, mistakes: [text] }, file);
  return judged(text, file);
}
interface ServerConfigPart {
  readonly name: string;
  readonly config: unknown;
}
function partsOf(config: unknown): readonly ServerConfigPart[] {
  if (Array.isArray(config)) return config.map((one: unknown) => ({ name: nameIn(one), config: [one] }));
  const top = (config ?? {}) as Readonly<Record<string, unknown>>;
  const isOurs = 'mcpServers' in top || 'servers' in top;
  // Reads the settings of VS Code, where the whole config is under one key.
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
