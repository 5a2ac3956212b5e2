import type { CheckOptions } from './laboratory.ts';
import type { Computer, ResourceContent } from '../api/computer-handle.ts';
import { acceptedConfig } from '../plans/accepted-config.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf, orClosed } from './exit-codes.ts';
import { onlyServer, withComputer } from './one-shot.ts';
import { configOf } from './source.ts';
import { isUrl, typedConfig } from './typed-server.ts';
import { A2cError, failureOf } from '../kernel/errors.ts';
import { parseConfig, type Config } from '../../machines/config/parse.ts';
import {
  violation,
  brokenByList,
  isDocument,
  isWindow,
  brokenByCatalogue,
  brokenByDocument,
  brokenByElement,
  brokenByPage,
  brokenByPages,
  brokenByWindow,
  type Violation,
} from '../../machines/resources/check.ts';
import {
  elementPlace,
  metadataUri,
  pagePlace,
  pagesPlace,
  parseDpeUri,
} from '../../machines/resources/uri.ts';

/** Exit code 1 when a rule is broken. */
export async function check(
  context: CommandContext,
  asked: string,
  args: readonly string[],
  options: CheckOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const config = await configFor(context, asked, args, options);
  const server = config.servers[0]?.name ?? '';
  const checked = await withComputer(context, { ...options, office: '' }, config, async (computer) => {
    const status = computer.status().servers.find(({ name }) => name === server);
    if (status?.state !== 'ready') throw notReady(server, status);
    const plan = {
      server,
      limitMs: options.limit * 1_000,
      signal,
      onStep: (step: string) => terminal.meter(step),
    };
    try {
      const done = await orClosed(signal, computer, () => checkServer(computer, plan));
      // Prints nothing for an interrupted check, because half a report would mislead.
      signal.throwIfAborted();
      return done;
    } finally {
      terminal.meter(null);
    }
  });
  const isFine = checked.violations.length === 0;
  if (options.json) terminal.out(JSON.stringify({ server, ...checked }));
  else tell(context, checked);
  return exitCodeOf(signal, isFine);
}
const notReady = (
  server: string,
  status: { readonly state: string; readonly reason?: string } | undefined,
): A2cError =>
  new A2cError({
    code: 'ServerNotActive',
    message: `Server '${server}' cannot be checked: ${status?.reason ?? status?.state ?? 'it is gone'}`,
    details: { server_name: server, state: status?.state ?? 'closed' },
    remedy: 'See what it writes: --verbose',
  });

/** All windows and documents are read, even when the server announces no changes. */
async function configFor(
  context: CommandContext,
  asked: string,
  args: readonly string[],
  options: CheckOptions,
): Promise<Config> {
  const isTyped = isUrl(asked) || args.length > 0 || /[/\\]/.test(asked);
  const config = isTyped
    ? acceptedConfig(parseConfig(typedConfig([asked, ...args], options)), undefined)
    : onlyServer(await configOf(context, options), asked);
  return {
    ...config,
    servers: config.servers.map((server) => ({
      ...server,
      settings: { ...server.settings, participation: 'resources' },
    })),
  };
}
function tell({ terminal }: CommandContext, { violations, read }: CheckedServer): void {
  for (const [at, { uri, field, found, remedy, rule }] of violations.entries()) {
    const where = [uri ?? 'the server', ...(field === null ? [] : [field])].join('  ');
    terminal.out(`${rule}: ${where}`);
    terminal.out(`    ${found}`);
    // Prints the advice once for all violations of one rule by the same URI.
    const next = violations[at + 1];
    if (next?.rule !== rule || next.uri !== uri) terminal.out(`    ${remedy}`);
  }
  const { windows, documents, pages, elements } = read;
  terminal.out(
    `${verdict(violations)}; read: windows ${windows}, documents ${documents}, pages ${pages}, elements ${elements}`,
  );
  if (windows + documents === 0 && violations.length === 0)
    terminal.err('It shows no window:// and no dpe:// resource. See docs/windows-and-documents.md.');
}
const verdict = (violations: readonly Violation[]): string => {
  if (violations.length === 0) return 'nothing breaks a rule';
  return violations.length === 1 ? '1 thing breaks a rule' : `${violations.length} things break a rule`;
};

export interface CheckPlan {
  readonly server: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}
export interface CheckedServer {
  readonly read: Readonly<WalkedCounts>;
  readonly violations: readonly Violation[];
}
export async function checkServer(computer: Computer, plan: CheckPlan): Promise<CheckedServer> {
  const { server, limitMs, onStep } = plan;
  const declared = computer.status().servers.find(({ name }) => name === server)?.resources;
  const nothing = { windows: 0, documents: 0, pages: 0, elements: 0 };
  if (!declared) return { read: nothing, violations: [] };
  let reads = 0;
  const reader = new CheckReader(computer, server, limitMs, (uri) => onStep(`read ${(reads += 1)}: ${uri}`));
  const walk = new Walk(reader);
  const listed = await listOf(computer, plan);
  if (!listed) return { read: nothing, violations: [violation('list', null, null, 'no list came')] };
  const broken = brokenByList(declared, listed);
  reader.add(broken);
  const isRight = (uri: string): boolean => !broken.some((each) => each.uri === uri);
  for (const uri of listed.filter(isRight)) {
    if (isWindow(uri)) await unlessOver(plan, () => walk.window(uri));
    if (isDocument(uri)) await unlessOver(plan, () => walk.document(uri));
  }
  return { read: walk.counts, violations: reader.violations };
}
const unlessOver = ({ signal }: CheckPlan, work: () => Promise<void>): Promise<void> =>
  signal.aborted ? Promise.resolve() : work();

async function listOf(
  computer: Computer,
  { server, onStep }: CheckPlan,
): Promise<readonly string[] | undefined> {
  onStep('waiting for its list of resources');
  const listed = (await computer.resources()).find((each) => each.server === server);
  return listed?.failure === null ? listed.resources.map(({ uri }) => uri) : undefined;
}

export interface WalkedCounts {
  windows: number;
  documents: number;
  pages: number;
  elements: number;
}
const pagesAtOnce = 100;

export class Walk {
  readonly #reader: CheckReader;
  readonly counts: WalkedCounts = { windows: 0, documents: 0, pages: 0, elements: 0 };

  constructor(reader: CheckReader) {
    this.#reader = reader;
  }
  async window(uri: string): Promise<void> {
    const contents = await this.#reader.read(uri);
    if (!contents) return;
    this.counts.windows += 1;
    this.#reader.add(brokenByWindow(uri, contents));
  }
  /** Or a catalogue and all documents in it. */
  async document(uri: string): Promise<void> {
    const place = parseDpeUri(uri);
    if (!place.ok || place.uri.level > 1) return;
    if (place.uri.level === 1) return this.#document(metadataUri(uri));
    const contents = await this.#reader.read(uri);
    if (!contents) return;
    const { read, violations } = brokenByCatalogue(uri, contents);
    this.#reader.add(violations);
    for (const each of read ?? []) if (parseDpeUri(each).ok) await this.#document(each);
  }
  async #document(uri: string): Promise<void> {
    const contents = await this.#reader.read(uri);
    if (!contents) return;
    this.counts.documents += 1;
    const { read, violations } = brokenByDocument(uri, contents);
    this.#reader.add(violations);
    if (!read) return;
    for (let offset = 0; offset < read.page_count; offset += pagesAtOnce)
      await this.#pages(uri, read.page_count, offset);
    for (let index = 0; index < read.page_count; index += 1) await this.#page(uri, index);
  }
  async #pages(uri: string, pageCount: number, offset: number): Promise<void> {
    const place = pagesPlace(uri, offset, pagesAtOnce);
    const contents = place.ok && (await this.#reader.read(place.uri));
    if (contents) this.#reader.add(brokenByPages(place.uri, pageCount, offset, contents));
  }
  async #page(uri: string, index: number): Promise<void> {
    const place = pagePlace(uri, index, 'json');
    const contents = place.ok && (await this.#reader.read(place.uri));
    if (!contents) return;
    this.counts.pages += 1;
    const { read, violations } = brokenByPage(place.uri, index, contents);
    this.#reader.add(violations);
    const [first] = read?.elements ?? [];
    if (first) await this.#element(uri, first.element_id);
  }
  async #element(uri: string, id: string): Promise<void> {
    const place = elementPlace(uri, id);
    const contents = place.ok && (await this.#reader.read(place.uri));
    if (!contents) return;
    this.counts.elements += 1;
    this.#reader.add(brokenByElement(place.uri, id, contents));
  }
}

/** One after the other, so that each read has its limit alone. */
export class CheckReader {
  readonly #computer: Computer;
  readonly #server: string;
  readonly #limitMs: number;
  readonly #onRead: (uri: string) => void;
  readonly violations: Violation[] = [];

  constructor(computer: Computer, server: string, limitMs: number, onRead: (uri: string) => void) {
    this.#computer = computer;
    this.#server = server;
    this.#limitMs = limitMs;
    this.#onRead = onRead;
  }
  add(some: readonly Violation[]): void {
    this.violations.push(...some);
  }
  /** Undefined, with a violation, when the read was refused or too late. */
  async read(uri: string): Promise<readonly ResourceContent[] | undefined> {
    this.#onRead(uri);
    try {
      return await this.#computer.readResource(uri, {
        server: this.#server,
        signal: AbortSignal.timeout(this.#limitMs),
      });
    } catch (error) {
      this.add([violation('unreadable', uri, null, failureOf(error).message)]);
      return undefined;
    }
  }
}
