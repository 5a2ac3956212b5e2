/** Pages of a running host, with the answers to their questions and orders. */
import type {
  Inspected,
  Inspection,
  InspectOptions,
  PageOrders,
  Pages,
  Story,
  ShownRuntime,
} from '../api/page.ts';
import { announceHost } from '../../adapters/inspector/registry.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { OwnFileMissing } from '../../adapters/own-files.ts';
import { processFacts, systemClock } from '../../adapters/clock.ts';
import { latestLines, sha256Of } from '../../adapters/storage/traces.ts';
import type { AttachedPage, PageListener } from '../../adapters/inspector/server.ts';
import {
  inspectionProtocol,
  type FromPage,
  type HostFacts,
  type InspectorAsk,
  type InspectorControl,
} from '../../machines/inspection.ts';
import type { Charts } from '../../machines/trace/chart.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { redacted } from '../../machines/secrets/redaction.ts';
import { A2cError } from '../kernel/errors.ts';
import { kindsInProcess } from '../runtime/assemble.ts';
import { chartOf } from '../runtime/charts.ts';
import { version } from '../../machines/version.ts';
import { notRecorded, recorderOptions } from '../recording/flight-recorder.ts';
import type { RecorderOptions } from '../recording/recorder.ts';
import { LiveStream } from './live-stream.ts';
import type { Kinds } from '../runtime/part.ts';

const known: Charts = {};
export const pause = (ms: number): Promise<void> =>
  new Promise((done) => void systemClock.setTimeout(done, ms));
/** Computed when a page is opened, one by one, so that the host goes on. */
export async function chartsOf(kinds: Kinds = kindsInProcess): Promise<Charts> {
  for (const [kind, machine] of Object.entries(kinds)) {
    if (known[kind]) continue;
    known[kind] = chartOf(kind, machine, (text) => sha256Of([text]));
    await pause(0);
  }
  return known;
}

/** Bytes that may wait for a page, and pause in ms until they are counted again. */
const mostAhead = 1024 * 1024;
const patienceMs = 10;
/** Resolves when the page takes more; false when it has left. */
export async function takesMore(page: AttachedPage, isHere: () => boolean): Promise<boolean> {
  while (isHere() && page.waiting > mostAhead) await pause(patienceMs);
  return isHere();
}
/** Limit in bytes of the trace of an incident. */
const mostStory = 64 * 1024 * 1024;
/** Pause in ms between two looks at the incidents, and the number of looks for one beat. */
const [lookMs, turnsOfBeat] = [250, 8];
const onRecordings =
  'A host that runs is not checked: save what led to this moment, or record the host, and open the file with a2c show.';
const textOf = (error: unknown): string => {
  if (!(error instanceof A2cError)) return error instanceof Error ? error.message : String(error);
  return error.remedy === undefined ? error.message : `${error.message}. ${error.remedy}`;
};
const cannotListen = (port: number, error: unknown): A2cError =>
  error instanceof OwnFileMissing
    ? new A2cError({ code: 'ConfigInvalid', message: error.message, remedy: error.remedy })
    : new A2cError({
        code: wireCodes.conflict,
        message: `The inspector cannot listen on 127.0.0.1:${port}: ${(error as Error).message}`,
        remedy: 'Choose another port; 0 takes any free one.',
      });

/** `attach` returns undefined for a host that there is none of; `part` tells the pages that are open why it closes. */
export async function openPages(
  port: number,
  attach: (page: AttachedPage, host: number | undefined) => PageListener | undefined,
  part = (pages: Iterable<AttachedPage>): void => {
    for (const page of pages) page.send({ type: 'closed', reason: 'the inspector was closed' });
  },
): Promise<Inspection> {
  const pages = new Set<AttachedPage>();
  const attached = (page: AttachedPage, host: number | undefined): PageListener | undefined => {
    const listener = attach(page, host);
    if (!listener) return undefined;
    pages.add(page);
    const left = (): void => {
      pages.delete(page);
      listener.left();
    };
    return { ...listener, left };
  };
  // A file of `a2c show --html` needs no server.
  const { openInspectorServer } = await import('../../adapters/inspector/server.ts');
  const server = await openInspectorServer({ port, attached }).catch((error: unknown) => {
    throw cannotListen(port, error);
  });
  const close = async (): Promise<void> => {
    part(pages);
    await server.close();
  };
  return { url: server.url, close, [Symbol.asyncDispose]: close };
}

/** Each `open` makes an address of its own; all pages see the same data. */
export class Inspections implements Pages {
  readonly #runtime: ShownRuntime;
  readonly #stream: LiveStream;
  readonly #open = new Set<Inspection>();
  #isClosed = false;

  constructor(runtime: ShownRuntime) {
    this.#runtime = runtime;
    this.#stream = new LiveStream(runtime.directory, () => this.#recording(), runtime.frames);
  }
  #recording(): RecorderOptions {
    const { secrets, options } = this.#runtime;
    return recorderOptions(secrets, 'full', (options.record || {}).key);
  }
  mark(text: string): void {
    this.#stream.mark(text);
  }
  async open(
    inspected: Inspected,
    { port = 0, allowControl = false }: InspectOptions = {},
  ): Promise<Inspection> {
    if (this.#isClosed) throw new A2cError({ code: 'Closed', message: 'The host is closed' });
    const { kind, name } = inspected;
    const host: HostFacts = { kind, name, pid: processFacts.pid, started: this.#runtime.started, version };
    await chartsOf();
    const attach = (page: AttachedPage): PageListener => {
      let isHere = true;
      const control = allowControl && inspected.orders !== undefined;
      const welcome = async (): Promise<void> => {
        await this.#stream.prepare(() => pause(0));
        const charts = await chartsOf();
        if (!isHere) return;
        const lines = this.#stream.add(page);
        const past = this.#runtime.flight?.past();
        page.send({
          type: 'welcome',
          protocol: inspectionProtocol,
          host,
          mode: 'live',
          control,
          charts,
          past: past !== undefined,
          lines,
        });
        if (past) void tellPast(page, past, () => isHere);
        this.#beat(page, () => isHere, Object.keys(charts).length);
      };
      void welcome();
      return {
        heard: (message) => void this.#answer(page, control ? inspected.orders : undefined, message),
        left: () => {
          isHere = false;
          this.#stream.remove(page);
        },
      };
    };
    const part = (pages: Iterable<AttachedPage>): void =>
      this.#stream.part(pages, this.#isClosed ? 'the host closed' : 'the inspector was closed');
    const server = await openPages(port, attach, part);
    const withdraw = this.#announce(host, server);
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> =>
      (closed ??= (async () => {
        this.#open.delete(inspection);
        withdraw();
        await server.close();
      })());
    const inspection: Inspection = { url: server.url, close, [Symbol.asyncDispose]: close };
    this.#open.add(inspection);
    // Closes the page at once when the inspections were closed while it was being opened.
    if (this.#isClosed) await close();
    return inspection;
  }
  /** Tells a page all incidents, then what changes, that this host still runs, and of charts beyond the `shown` ones. */
  #beat(page: AttachedPage, isHere: () => boolean, shown: number): void {
    let known = 0;
    let turns = 0;
    const beat = async (): Promise<void> => {
      const charts = await chartsOf();
      const isMore = Object.keys(charts).length > shown;
      shown = Object.keys(charts).length;
      if (isHere()) page.send({ type: 'beat', ...(isMore && { charts }) });
    };
    const tell = (): void => {
      if (!isHere()) return;
      const { incidents, isAll, revision, since } = this.#runtime.incidents.after(known);
      if (turns === 0 || revision > known)
        page.send({ type: 'incidents', incidents: [...incidents], isAll, since });
      known = revision;
      if (turns % turnsOfBeat === 0) void beat();
      turns += 1;
      systemClock.setTimeout(tell, lookMs);
    };
    tell();
  }
  #announce(host: HostFacts, { url }: Inspection): () => void {
    const { stateDir, notice } = this.#runtime.options;
    if (stateDir === false) return () => {};
    try {
      return announceHost(stateDir ?? defaultStateDir(), { ...host, url });
    } catch (error) {
      notice?.(`a2c inspect will not list this host: ${(error as Error).message}`);
      return () => {};
    }
  }
  async #answer(page: AttachedPage, orders: PageOrders | undefined, message: FromPage): Promise<void> {
    const { id } = message;
    try {
      const value = message.type === 'ask' ? await this.#told(message, page) : await obeyed(message, orders);
      page.send({ type: 'answer', id, ok: true, value });
    } catch (error) {
      page.send({ type: 'answer', id, ok: false, error: textOf(error) });
    }
  }
  #told(ask: InspectorAsk, page: AttachedPage): unknown {
    if (ask.what === 'records') return this.#stream.want(page, ask.isWhole) ?? {};
    if (ask.what === 'stderr') return { lines: this.#runtime.linesOf(ask.server) };
    if (ask.what === 'value') return this.#value(ask.number);
    if (ask.what === 'checks') throw new Error(onRecordings);
    if (ask.what === 'trace') return this.#trace();
    if (ask.what === 'seen') return this.#runtime.incidents.see(ask.ids) ?? {};
    if (ask.what === 'story') return this.#storyOf(ask.incident);
    return this.#runtime.frames.find(ask, this.#recording());
  }
  #trace(): string {
    const { flight } = this.#runtime;
    if (!flight) throw notRecorded;
    return flight.text();
  }
  /** What is in memory, where no trace was written or its file has gone. */
  async #storyOf(id = ''): Promise<Story> {
    const { incidents, flight, retell } = this.#runtime;
    const file = incidents.traceOf(id) ?? flight?.path;
    const told = file === undefined ? undefined : await retell?.({ file })?.catch(() => undefined);
    if (told) return told;
    let text = '';
    if (file !== undefined) for await (const lines of latestLines(file, mostStory)) text += lines;
    if (text !== '') return { text, checks: null };
    text = this.#trace();
    return (await retell?.({ text })?.catch(() => undefined)) ?? { text, checks: null };
  }
  #value(number: number): unknown {
    const value = this.#stream.value(number);
    if (value === undefined) throw new Error('The host does not have this value any more');
    return value;
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((inspection) => inspection.close()));
  }
}
/** As fast as the page takes it, until the page has left. */
async function tellPast(
  page: AttachedPage,
  past: AsyncIterable<string>,
  isHere: () => boolean,
): Promise<void> {
  try {
    for await (const text of past) {
      if (!(await takesMore(page, isHere))) return;
      page.send({ type: 'past', text, isLast: false });
    }
  } catch {
    // Leaves out earlier records that cannot be read. The page still shows what happens now.
  }
  if (isHere()) page.send({ type: 'past', text: '', isLast: true });
}
async function obeyed(
  { verb, target, params = {} }: InspectorControl,
  orders: PageOrders | undefined,
): Promise<object> {
  if (!orders) throw new Error('This inspector only shows: start the host with --allow-control');
  if (redacted.test(JSON.stringify(params)))
    throw new Error('These arguments have a hidden secret: write its value in place of «redacted:…»');
  return (await orders[verb](target, params)) ?? {};
}
