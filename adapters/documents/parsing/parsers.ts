import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limits, sizeText } from '../../../machines/document-files.ts';
import type { ReadDocument } from '../../../machines/documents.ts';
import { isSource, ownFile, sourceFile, sourceLoader } from '../../own-files.ts';
import { Unreadable } from './reader.ts';
import type { Done, Job } from './worker.ts';

/** The built file or, in a checkout that runs its sources, code that loads the source through tsx. */
function entryOfWorker(): { readonly entry: string; readonly isText: boolean } {
  if (!isSource) return { entry: ownFile('adapters/documents/parsing/worker.js'), isText: false };
  const source = pathToFileURL(sourceFile('adapters/documents/parsing/worker.ts')).href;
  const text = `import(${JSON.stringify(sourceLoader('tsx/esm/api'))}).then(({ register }) => (register(), import(${JSON.stringify(source)})))`;
  return { entry: text, isText: true };
}

interface Waiting {
  readonly job: Job;
  readonly settle: (done: Done) => void;
}
interface Busy extends Waiting {
  readonly timer: NodeJS.Timeout;
  /** When the reading began, or when another thread was last ended for using too much. */
  baseBytes: number;
}
interface Slot {
  worker?: Worker | undefined;
  busy?: Busy | undefined;
  idle?: NodeJS.Timeout | undefined;
}
export interface ParserLimits {
  /** Time for one document by the clock, long enough for a busy computer. */
  readonly ms: number;
  readonly growthBytes: number;
  readonly heapMb: number;
}
const idleMs = 30_000;
const watchMs = 25;

/** A document that takes too long, or makes the process memory grow too much, ends only its own thread. */
export class Parsers {
  readonly #slots: Slot[];
  readonly #limits: ParserLimits;
  #queue: Waiting[] = [];
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(threads = 2, own: Partial<ParserLimits> = {}) {
    this.#slots = Array.from({ length: threads }, () => ({}));
    this.#limits = {
      ms: limits.parseMs,
      growthBytes: limits.parseGrowthBytes,
      heapMb: limits.parseHeapMb,
      ...own,
    };
  }

  async read(job: Job): Promise<ReadDocument> {
    const done = await new Promise<Done>((settle) => {
      if (this.#isClosed) settle({ ok: false, reason: 'the server ends' });
      else this.#queue.push({ job, settle });
      this.#next();
    });
    if (done.ok) return done.document;
    throw new Unreadable(done.reason, done.isLasting ?? true);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { settle } of this.#queue.splice(0)) settle({ ok: false, reason: 'the server ends' });
    await Promise.all(this.#slots.map((slot) => this.#end(slot, 'the server ends')));
    clearInterval(this.#watch);
  }

  #next(): void {
    for (const slot of this.#slots) {
      if (slot.busy) continue;
      const next = this.#queue.shift();
      if (!next) return;
      this.#start(slot, next);
    }
  }

  #start(slot: Slot, next: Waiting): void {
    clearTimeout(slot.idle);
    const worker = (slot.worker ??= this.#open(slot));
    const { ms } = this.#limits;
    const late = (): void => void this.#end(slot, `it could not be read within ${ms / 1000} s`, false);
    slot.busy = { ...next, timer: setTimeout(late, ms), baseBytes: process.memoryUsage.rss() };
    this.#watch ??= setInterval(() => this.#weigh(), watchMs).unref();
    // Transferring a view of a shared buffer would take away the other data in it.
    const bytes = next.job.bytes.slice();
    worker.postMessage({ ...next.job, bytes }, [bytes.buffer]);
  }

  #open(slot: Slot): Worker {
    const { entry, isText } = entryOfWorker();
    const worker = new Worker(entry, {
      eval: isText,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb, stackSizeMb: 4 },
      stdout: true,
      stderr: true,
    });
    // Libraries write to the console, and stdout belongs to the protocol.
    worker.stdout.resume();
    worker.stderr.resume();
    worker.unref();
    worker.on('message', (message: Done) => {
      this.#settle(slot, message);
      slot.idle = setTimeout(() => void this.#end(slot, ''), idleMs).unref();
      this.#next();
    });
    const gone = (reason: string) => () => {
      if (slot.worker !== worker) return;
      slot.worker = undefined;
      this.#settle(slot, { ok: false, reason });
      this.#next();
    };
    worker.on('error', (error: NodeJS.ErrnoException) =>
      gone(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? this.#tooLarge() : 'it is broken: its reader failed',
      )(),
    );
    worker.on('exit', gone('it is broken: its reader ended'));
    return worker;
  }

  #tooLarge(): string {
    return `reading it takes more memory than ${sizeText(this.#limits.growthBytes)}`;
  }

  #weigh(): void {
    const rss = process.memoryUsage.rss();
    const busy = this.#slots.filter((slot) => slot.busy !== undefined);
    if (busy.length === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
    // Ends one thread at a time, because the memory cannot be attributed to a thread.
    const grown = busy.find((slot) => rss - (slot.busy?.baseBytes ?? rss) > this.#limits.growthBytes);
    if (!grown) return;
    for (const slot of busy) if (slot.busy) slot.busy.baseBytes = rss;
    void this.#end(grown, this.#tooLarge(), busy.length === 1);
  }

  #settle(slot: Slot, done: Done): void {
    const { busy } = slot;
    slot.busy = undefined;
    clearTimeout(busy?.timer);
    busy?.settle(done);
  }

  async #end(slot: Slot, reason: string, isLasting = true): Promise<void> {
    const { worker, busy } = slot;
    slot.worker = undefined;
    clearTimeout(slot.idle);
    await worker?.terminate();
    // An answer may have arrived meanwhile, and the slot may have the next document.
    if (busy && slot.busy === busy) this.#settle(slot, { ok: false, reason, isLasting });
    this.#next();
  }
}
