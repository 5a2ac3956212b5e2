import { Worker } from 'node:worker_threads';
import { limits, sizeText } from '../../../machines/document-files.ts';
import type { ReadDocument } from '../../../machines/documents.ts';
import { ownFile } from '../../own-files.ts';
import { WorkerPool, type Gone, type Handle } from '../../worker-pool.ts';
import { Unreadable } from './reader.ts';
import type { Done, Job } from './worker.ts';

export interface ParserLimits {
  /** Time for one document by the clock, long enough for a busy computer. */
  readonly ms: number;
  readonly growthBytes: number;
  readonly heapMb: number;
}
const idleMs = 30_000;
const watchMs = 25;

function openWorker(heapMb: number): Worker {
  const worker = new Worker(ownFile('adapters/documents/parsing/worker.js'), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: 4 },
    stdout: true,
    stderr: true,
  });
  // Libraries write to the console, and stdout belongs to the protocol.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}
interface Reading {
  handle?: Handle;
  /** When it began, or when another one was last ended for using too much. */
  baseBytes: number;
  isGrown?: { readonly isAlone: boolean };
}

/** A document that takes too long, or makes the process memory grow too much, ends only its own thread. */
export class Parsers {
  readonly #pool: WorkerPool<Done>;
  readonly #limits: ParserLimits;
  readonly #readings = new Set<Reading>();
  #watch: NodeJS.Timeout | undefined;

  constructor(own: Partial<ParserLimits> = {}) {
    const { parseMs: ms, parseGrowthBytes: growthBytes, parseHeapMb: heapMb } = limits;
    this.#limits = { ms, growthBytes, heapMb, ...own };
    const open = (): Worker => openWorker(this.#limits.heapMb);
    this.#pool = new WorkerPool({ threads: 2, open, limitMs: this.#limits.ms, idleMs });
  }

  async read(job: Job): Promise<ReadDocument> {
    const reading: Reading = { baseBytes: 0 };
    const done = await new Promise<Done | Gone>((settle) => {
      reading.handle = this.#pool.add(() => this.#begun(reading, job), settle);
    });
    this.#readings.delete(reading);
    if ('gone' in done) throw this.#refusal(done, reading);
    if (done.ok) return done.document;
    throw new Unreadable(done.reason);
  }
  close(): Promise<void> {
    clearInterval(this.#watch);
    return this.#pool.close();
  }

  #begun(reading: Reading, job: Job): [Job, ArrayBuffer[]] {
    reading.baseBytes = process.memoryUsage.rss();
    this.#readings.add(reading);
    this.#watch ??= setInterval(() => this.#weigh(), watchMs).unref();
    // Transferring a view of a shared buffer would take away the other data in it.
    const bytes = job.bytes.slice();
    return [{ ...job, bytes }, [bytes.buffer]];
  }
  #weigh(): void {
    const rss = process.memoryUsage.rss();
    const all = [...this.#readings];
    if (all.length === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
    // Ends one thread at a time, because the memory cannot be attributed to a thread.
    const grown = all.find(({ baseBytes }) => rss - baseBytes > this.#limits.growthBytes);
    if (!grown) return;
    for (const each of all) each.baseBytes = rss;
    grown.isGrown = { isAlone: all.length === 1 };
    grown.handle?.end();
  }
  #refusal(gone: Gone, { isGrown }: Reading): Unreadable {
    const { ms, growthBytes } = this.#limits;
    const tooLarge = `reading it takes more memory than ${sizeText(growthBytes)}`;
    if (gone.gone === 'closed') return new Unreadable('the server ends');
    if (gone.gone === 'late') return new Unreadable(`it could not be read within ${ms / 1000} s`, false);
    if (gone.gone === 'ended') return new Unreadable(tooLarge, isGrown?.isAlone);
    const error = 'error' in gone ? gone.error : undefined;
    // No fault of the document.
    if (gone.gone === 'unusable' || gone.gone === 'unsent') throw error;
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return new Unreadable(tooLarge);
    return new Unreadable('it is broken: its reader failed');
  }
}
