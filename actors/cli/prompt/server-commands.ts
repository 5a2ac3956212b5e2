import { failureOf, type A2cError } from '../../kernel/errors.ts';
import { columnsOf, padded } from '../../../adapters/terminal/typed-line.ts';
import { readConfig } from '../../../adapters/applications/config-files.ts';
import { parseConfigText } from '../../../machines/config/parse-text.ts';
import { parseConfig, type Config } from '../../../machines/config/parse.ts';
import type { Computer } from '../../api/computer-handle.ts';
import type { ServerStatus } from '../../servers/server-handle.ts';
import { cannotOrder } from '../../api/computer-status.ts';
import type { CommandContext } from '../context.ts';
import { incidentLines, nameColumns, noiseLine, serverLine, logLine, whyText } from '../printing/servers.ts';
import { statusFact, tellFact } from '../printing/failures.ts';
import { acceptedConfig } from '../../plans/accepted-config.ts';
import { configAsGiven } from '../../plans/given-config.ts';
import { withEntryWords, type EntryWords } from '../options.ts';
import { entryOf } from '../typed-server.ts';
import { words } from '../words.ts';
import { usage, type PromptCommand, type PromptCommands } from './commands.ts';
import { foreign } from '../../../machines/config/config-input.ts';

interface ServerCommandOptions {
  readonly facts?: boolean;
}

export class ServerCommands {
  readonly #context: CommandContext;
  readonly #computer: Computer;
  readonly #how: ServerCommandOptions;
  readonly #waitsFor = new Set<string>();

  constructor(context: CommandContext, computer: Computer, how: ServerCommandOptions) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
  }
  addTo(commands: PromptCommands): void {
    const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
      commands.add('Servers', names, description);
    add(['list', 'servers', 'servers list', 'mcp'], words.list).does(() => this.list());
    this.#addOrders(add);
    add(['logs', 'servers logs'], words.logs)
      .argument('<server>')
      .argument('[n]', 'so many (default: 20)')
      .does((name: string, count = '20') => this.#logs(name, count));
    add(['why'], words.why)
      .argument('[server]', 'default: all that are not ready, or went wrong')
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
        .does(async (name: string) => {
          if (takesAll && name.toLowerCase() === 'all') await this.#all(act);
          else await this.#waitFor(name, act(name));
        });
    order(['start', 'servers start'], 'start a server, or all', (name) => computer.servers.start(name), true);
    order(
      ['stop', 'servers stop'],
      'stop a server, or all: its calls may end first; Ctrl-C meanwhile hurries it',
      (name) => computer.servers.stop(name),
      true,
    );
    order(['restart', 'servers restart'], 'stop it, then start it', (name) => computer.servers.restart(name));
    order(['retry', 'servers retry'], 'try one at once that waits for its next try, or gave up', (name) =>
      computer.servers.start(name),
    );
    withEntryWords(add(['add', 'servers add', 'server add'], words.add))
      .argument('<name>', 'what it is called until this ends; or alone, JSON as in a config file, or a file')
      .argument('[target...]', 'a command, a URL, or an entry as JSON')
      .does((name: string, target: readonly string[], options: EntryWords) =>
        this.#add(name.replace(/^@/, ''), target, options),
      );
    order(['enable', 'servers enable'], words.enable, (name) => this.#disable(name, false));
    order(['disable', 'servers disable'], words.disable, (name) => this.#disable(name, true));
    order(['remove', 'servers remove', 'server rm', 'server remove'], words.remove, (name) =>
      computer.servers.remove(name),
    );
  }
  /** At Ctrl-C; false when there was none. A server that is already stopping is ended sooner. */
  interrupt(): boolean {
    // Ignores the result, because the waiting command reports how the start ended.
    for (const name of this.#waitsFor) this.#computer.servers.stop(name).catch(() => {});
    return this.#waitsFor.size > 0;
  }
  list(indent = ''): void {
    const { terminal } = this.#context;
    const servers = this.#computer.status().servers;
    if (servers.length === 0) terminal.out(indent + noServers);
    const width = Math.max(...servers.map(({ name }) => columnsOf(name)));
    for (const server of servers) {
      terminal.out(indent + serverLine(server, width));
      if (indent !== '' && server.noise) terminal.out(`${indent}  ${noiseLine(server.noise)}`);
      tellFact(this.#context, this.#how, statusFact(server));
    }
  }
  #unknown(name: string): A2cError {
    return cannotOrder(
      name,
      undefined,
      this.#computer.status().servers.map((each) => each.name),
    );
  }
  #mustBeKnown(name: string): ServerStatus {
    const server = this.#computer.status().servers.find((each) => each.name === name);
    if (!server) throw this.#unknown(name);
    return server;
  }
  #logs(name: string, count: string): unknown {
    const { terminal } = this.#context;
    if (!/^[1-9]\d*$/.test(count)) throw usage('logs <server> [n]');
    this.#mustBeKnown(name);
    const lines = this.#computer.servers.logs(name).slice(-Number(count));
    for (const line of lines) terminal.out(logLine(line));
    if (lines.length === 0) terminal.out(`${name} wrote nothing`);
    return lines;
  }
  /** Why it stands where it does, and what it wrote last. */
  status(name: string): unknown {
    const status = this.#mustBeKnown(name);
    for (const line of whyText(status, 'prompt')) this.#context.terminal.outText(line);
    for (const line of this.#computer.servers.logs(name).slice(-20))
      this.#context.terminal.out(logLine(line));
    return status;
  }
  #whyOf(name: string): unknown {
    if (name !== '') return this.#why(name);
    const down = this.#computer
      .status()
      .servers.filter(({ state }) => state !== 'ready' && state !== 'disabled');
    const { incidents } = this.#computer.status();
    const { terminal } = this.#context;
    const shown = down.map((server) => this.#why(server.name));
    for (const line of incidentLines(incidents)) terminal.out(line);
    if (down.length + incidents.length === 0) terminal.out('all servers are ready, and nothing went wrong');
    return { servers: shown, incidents };
  }
  #why(name: string): unknown {
    const server = this.#mustBeKnown(name);
    for (const line of whyText(server, 'prompt')) this.#context.terminal.outText(line);
    const last = server.waits && this.#computer.servers.logs(name).at(-1);
    if (last) this.#context.terminal.out(`it wrote last: ${logLine(last)}`);
    return server;
  }
  async #disable(name: string, disabled: boolean): Promise<void> {
    const { servers, serverSettings } = this.#computer.config();
    const [server, settings] = [servers[name], serverSettings[name]];
    if (!server) throw this.#unknown(name);
    const entry = { ...server, name, disabled, a2c: settings };
    this.#context.terminal.out(serverLine(await this.#computer.servers.add(foreign({ servers: [entry] }))));
  }
  async #all(act: (name: string) => Promise<unknown>): Promise<void> {
    const { terminal } = this.#context;
    const names = this.#computer
      .status()
      .servers.flatMap(({ name, state }) => (state === 'disabled' ? [] : [name]));
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
  /** Each server by itself, so that one that does not start keeps no other from it. */
  async #add(text: string, target: readonly string[], options: EntryWords): Promise<void> {
    const config = await configIn(text, target, options);
    const { servers, ...rest } = configAsGiven(config);
    const { terminal } = this.#context;
    await Promise.all(
      servers.map(async (server, n) => {
        const { name } = config.servers[n] ?? { name: '' };
        const added = this.#computer.servers.add(foreign({ ...rest, servers: [server] }));
        await this.#waitFor(name, added).then(
          (status) => terminal.out(serverLine(status)),
          (error: unknown) => {
            if (servers.length === 1) throw error;
            terminal.out(`${padded(name, nameColumns)} error: ${failureOf(error).message}`);
          },
        );
      }),
    );
  }
}
export const noServers = 'no servers; add one: add NAME -- COMMAND';
/** One server by its name, or those of JSON or of a file. */
async function configIn(text: string, target: readonly string[], options: EntryWords): Promise<Config> {
  if (target.length > 0)
    return acceptedConfig(parseConfig({ mcpServers: { [text]: entryOf(target, options) } }), undefined);
  const file = /^[[{]/.test(text) ? undefined : text;
  return acceptedConfig(file === undefined ? parseConfigText(text) : await readConfig(file), file);
}
