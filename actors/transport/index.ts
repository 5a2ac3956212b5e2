/** Transports for any MCP client, with servers that this runtime owns; the first `start` loads the rest. */
import { wireCodes } from '../../machines/protocol/failure.ts';
import { A2cError } from '../kernel/errors.ts';
import {
  argument,
  callback,
  count,
  disabled,
  either,
  flag,
  instance,
  ms,
  mustBeOptions,
  name,
  needing,
  object,
  oneOf,
  options,
  texts,
  url as ofUrl,
} from '../kernel/options.ts';
import { logLevels } from '../logging/log-entry.ts';
import { isObject } from '../../machines/protocol/json.ts';
import type { Inspection, InspectOptions } from '../api/page.ts';
import type {
  ServerCommand,
  SupervisedOptions,
  SupervisedServer,
  SupervisedTransport,
  Supervisor,
  SupervisorOptions,
} from './options.ts';
import type { Supervision, SupervisorHost } from './supervision.ts';

export { A2cError } from '../kernel/errors.ts';
export type { Inspection, InspectOptions } from '../api/page.ts';
export type * from './options.ts';

const mistake = (message: string, remedy: string, details?: object): A2cError =>
  new A2cError({ code: wireCodes.badRequest, message, remedy, ...(details && { details: { ...details } }) });

/** Names of programs whose first argument names the server. */
const runners = new Set(['npx', 'uvx', 'bunx', 'pipx', 'pnpx']);
const general = new Set(['index', 'main', 'cli', 'dist', 'build', 'src', 'lib', 'bin', '']);
const partsOf = (path: string): readonly string[] => path.split(/[/\\]/);
function nameOf(server: SupervisedServer): string {
  if (typeof server === 'string' || server instanceof URL) return new URL(server).hostname;
  if (!('command' in server)) return 'transport';
  const { command, args = [] } = server;
  const program = (partsOf(command).at(-1) ?? '').replace(/\.(?:exe|cmd)$/, '');
  const words = args.filter((word) => !word.startsWith('-'));
  if (runners.has(program))
    return (partsOf(words[0] ?? '').at(-1) ?? '').replace(/(?<=.)@.*$/, '') || program;
  const script = words.find((word) => /\.(?:[cm]?[jt]s|py)$/.test(word));
  const parts = partsOf(script ?? '').map((part) => part.replace(/\.\w+$/, ''));
  return parts.findLast((part) => !general.has(part)) ?? (program || 'server');
}
const reconnect = either(
  'true, false or an object',
  flag,
  options({ attempts: count, firstMs: ms, longestMs: ms }),
);
const ofTransport = options<SupervisedOptions>({
  name,
  headers: object,
  reconnect,
  connectMs: ms,
  stdinGraceMs: ms,
  termGraceMs: ms,
});
const ofSupervisor = options<SupervisorOptions>({
  name,
  record: either('an object, or false', object, disabled),
  stateDir: either('a path, or false', name, disabled),
  reaper: flag,
  onNotice: callback,
  launcher: instance,
  inMemory: object,
  log: callback,
  logLevel: oneOf(...logLevels),
});
const ofCommand = needing(
  ['command'],
  options<ServerCommand>({ command: name, args: texts, env: object, cwd: name }),
);
function mustBeUrl(given: string): void {
  const [command = '', ...args] = given.trim().split(/\s+/);
  const fault = ofUrl(given, 'server');
  if (!fault || command === '' || given.includes('://'))
    return mustBeOptions('supervised', given, argument('server', ofUrl));
  const shown = JSON.stringify({ command, args });
  throw mistake(`supervised: server: ${fault.message}`, `A program is given as ${shown}.`, {
    option: 'server',
  });
}
function check(server: SupervisedServer, given: SupervisedOptions): void {
  mustBeOptions('supervised', given, ofTransport);
  if (typeof server === 'string' || server instanceof URL) return mustBeUrl(String(server));
  if (typeof server !== 'function' && !(isObject(server) && 'start' in server))
    mustBeOptions('supervised', server, argument('server', ofCommand));
  if (given.headers)
    throw mistake('supervised: headers: they belong to a URL', 'Give variables of a command in its env.', {
      option: 'headers',
    });
}

class Transport implements SupervisedTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: SupervisedTransport['onmessage'];
  readonly #supervisor: HostedSupervisor;
  readonly #server: SupervisedServer;
  readonly #options: SupervisedOptions;
  readonly #wanted: string;
  #starting: Promise<Supervision> | undefined;
  #supervision: Supervision | undefined;
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(supervisor: HostedSupervisor, server: SupervisedServer, options: SupervisedOptions) {
    check(server, options);
    this.#supervisor = supervisor;
    this.#server = server;
    this.#options = options;
    this.#wanted = options.name ?? nameOf(server);
  }
  get name(): string {
    return this.#supervision?.name ?? this.#wanted;
  }
  get pid(): number | undefined {
    return this.#supervision?.pid;
  }
  async start(): Promise<void> {
    if (this.#starting || this.#closing)
      throw mistake(`supervised: '${this.name}' was started before`, 'Make a transport for each client.');
    this.#starting = this.#supervisor.supervise(this, this.#wanted, this.#server, this.#options, {
      deliver: (message) => this.onmessage?.(message),
      failed: (error) => this.onerror?.(error),
      over: () => this.#over(),
    });
    this.#supervision = await this.#starting;
    if (this.#closing) throw mistake(`supervised: '${this.name}' was closed`, 'Make another transport.');
    await this.#supervision.start();
  }
  async send(message: object): Promise<void> {
    if (!this.#supervision) throw mistake(`supervised: '${this.name}' was not started`, 'Call start first.');
    await this.#supervision.relay.send(message);
  }
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }
  async #close(): Promise<void> {
    const supervision = await this.#starting?.catch(() => undefined);
    await supervision?.close();
    if (supervision) await this.#supervisor.leave(this, supervision.name);
    this.#over();
  }
  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Ends the server, as `close` would, because a client that was told of the end does not call `close`.
    void this.close();
    this.onclose?.();
  }
}

/** Opens its host only when the first transport or page starts. */
class HostedSupervisor implements Supervisor {
  readonly #options: SupervisorOptions;
  /** The host ends with its last transport and page, because nobody closes this supervisor. */
  readonly #isShared: boolean;
  readonly #transports = new Set<Transport>();
  readonly #pages = new Set<Inspection>();
  #host: Promise<SupervisorHost> | undefined;
  #isClosed = false;

  constructor(options: SupervisorOptions, isShared: boolean) {
    this.#options = options;
    this.#isShared = isShared;
  }
  supervised(server: SupervisedServer, options: SupervisedOptions = {}): SupervisedTransport {
    return new Transport(this, server, options);
  }
  #opened(): Promise<SupervisorHost> {
    if (this.#isClosed) throw mistake('The supervisor is closed', 'Make another one with createSupervisor.');
    return (this.#host ??= import('./supervision.ts').then(({ SupervisorHost: Host }) =>
      Host.open(this.#options),
    ));
  }
  async supervise(
    transport: Transport,
    ...[name, server, options, events]: Parameters<SupervisorHost['supervise']>
  ): Promise<Supervision> {
    this.#transports.add(transport);
    const host = await this.#opened();
    return host.supervise(name, server, options, events);
  }
  async leave(transport: Transport, name: string): Promise<void> {
    (await this.#host)?.leave(name);
    this.#transports.delete(transport);
    await this.#rest();
  }
  async #rest(): Promise<void> {
    if (!this.#isShared || this.#transports.size > 0 || this.#pages.size > 0) return;
    const host = this.#host;
    this.#host = undefined;
    await (await host)?.close();
  }
  async inspect(options?: InspectOptions): Promise<Inspection> {
    const page = await (await this.#opened()).inspect(options);
    const close = async (): Promise<void> => {
      await page.close();
      if (this.#pages.delete(page)) await this.#rest();
    };
    this.#pages.add(page);
    return { url: page.url, close, [Symbol.asyncDispose]: close };
  }
  async writeTrace(dir = '.'): Promise<string> {
    return (await this.#opened()).writeTrace(dir);
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#transports].map((transport) => transport.close()));
    await (await this.#host)?.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Makes a separate supervisor, with its own recording, page and reaper (a process that ends all servers when this one is
 * killed). Close it at the end. `supervised` and `inspect` use a common one, with the defaults of `SupervisorOptions`.
 * @example
 * const supervisor = createSupervisor({ name: 'my-host', onNotice: console.log });
 * const transport = supervisor.supervised({ command: 'node', args: ['files.js'] }, { name: 'files', reconnect: true });
 * await supervisor.close();
 */
export function createSupervisor(options: SupervisorOptions = {}): Supervisor {
  mustBeOptions('createSupervisor', options, ofSupervisor);
  return new HostedSupervisor(options, false);
}

const shared = new HostedSupervisor({}, true);
/**
 * Makes a transport to an MCP server for any client. The server runs in a process group that ends with the client or the
 * host, however that ends; errors of requests have its exit code and stderr. Throws an `A2cError` for options that cannot
 * be used.
 * @example
 * const client = new Client({ name: 'host', version: '1.0.0' });
 * await client.connect(supervised({ command: 'npx', args: ['-y', 'my-server'] }, { reconnect: true }));
 */
export const supervised = (server: SupervisedServer, options?: SupervisedOptions): SupervisedTransport =>
  shared.supervised(server, options);
/**
 * Opens the page that shows all servers of `supervised`; `a2c inspect` lists it until it is closed.
 * @example
 * const page = await inspect();
 * console.log(page.url);
 */
export const inspect = (options?: InspectOptions): Promise<Inspection> => shared.inspect(options);
