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
} from '../../machines/resources/dpe-uri.ts';

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

interface CheckPlan {
  readonly server: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}
interface CheckedServer {
  readonly read: Readonly<WalkedCounts>;
  readonly violations: readonly Violation[];
}
async function checkServer(computer: Computer, plan: CheckPlan): Promise<CheckedServer> {
  const { server, onStep, signal } = plan;
  const declared = computer.status().servers.find(({ name }) => name === server)?.resources;
  const walk = new Walk(computer, plan);
  if (!declared) return { read: walk.counts, violations: [] };
  onStep('waiting for its list of resources');
  const listed = (await computer.resources()).find((each) => each.server === server);
  if (listed?.failure !== null)
    return { read: walk.counts, violations: [violation('list', null, null, 'no list came')] };
  const uris = listed.resources.map(({ uri }) => uri);
  const broken = brokenByList(declared, uris);
  walk.violations.push(...broken);
  for (const uri of uris.filter((each) => !broken.some((one) => one.uri === each))) {
    if (isWindow(uri) && !signal.aborted) await walk.window(uri);
    if (isDocument(uri) && !signal.aborted) await walk.document(uri);
  }
  return { read: walk.counts, violations: walk.violations };
}

interface WalkedCounts {
  windows: number;
  documents: number;
  pages: number;
  elements: number;
}
type Contents = readonly ResourceContent[];
const pagesAtOnce = 100;

/** Reads one after the other, so that each read has its limit alone. */
class Walk {
  readonly #computer: Computer;
  readonly #plan: CheckPlan;
  readonly counts: WalkedCounts = { windows: 0, documents: 0, pages: 0, elements: 0 };
  readonly violations: Violation[] = [];
  #reads = 0;

  constructor(computer: Computer, plan: CheckPlan) {
    this.#computer = computer;
    this.#plan = plan;
  }
  /** Undefined, with a violation, when the read was refused or too late. */
  async #judged<Read>(
    uri: string,
    kind: keyof WalkedCounts | undefined,
    judge: (contents: Contents) => { readonly read?: Read; readonly violations: readonly Violation[] },
  ): Promise<Read | undefined> {
    const { server, limitMs, onStep } = this.#plan;
    onStep(`read ${(this.#reads += 1)}: ${uri}`);
    try {
      const signal = AbortSignal.timeout(limitMs);
      const contents = await this.#computer.readResource(uri, { server, signal });
      if (kind) this.counts[kind] += 1;
      const { read, violations } = judge(contents);
      this.violations.push(...violations);
      return read;
    } catch (error) {
      this.violations.push(violation('unreadable', uri, null, failureOf(error).message));
      return undefined;
    }
  }
  async window(uri: string): Promise<void> {
    await this.#judged(uri, 'windows', (contents) => ({ violations: brokenByWindow(uri, contents) }));
  }
  /** Or a catalogue and all documents in it. */
  async document(uri: string): Promise<void> {
    const place = parseDpeUri(uri);
    if (!place.ok || place.uri.level > 1) return;
    if (place.uri.level === 1) return this.#document(metadataUri(uri));
    const listed = await this.#judged(uri, undefined, (contents) => brokenByCatalogue(uri, contents));
    for (const each of listed ?? []) if (parseDpeUri(each).ok) await this.#document(each);
  }
  async #document(uri: string): Promise<void> {
    const read = await this.#judged(uri, 'documents', (contents) => brokenByDocument(uri, contents));
    const { page_count: count = 0 } = read ?? {};
    for (let offset = 0; offset < count; offset += pagesAtOnce) {
      const place = pagesPlace(uri, offset, pagesAtOnce);
      if (place.ok)
        await this.#judged(place.uri, undefined, (contents) => ({
          violations: brokenByPages(place.uri, count, offset, contents),
        }));
    }
    for (let index = 0; index < count; index += 1) await this.#page(uri, index);
  }
  async #page(document: string, index: number): Promise<void> {
    const place = pagePlace(document, index, 'json');
    if (!place.ok) return;
    const read = await this.#judged(place.uri, 'pages', (contents) =>
      brokenByPage(place.uri, index, contents),
    );
    const [first] = read?.elements ?? [];
    const element = first && elementPlace(document, first.element_id);
    if (first && element?.ok)
      await this.#judged(element.uri, 'elements', (contents) => ({
        violations: brokenByElement(element.uri, first.element_id, contents),
      }));
  }
}
