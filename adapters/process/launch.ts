import { finished, type Readable } from 'node:stream';
import { environmentOf, type Launched, type Launcher, type LaunchSpec } from './environment.ts';
import { failureOf, localLauncher } from './local-launcher.ts';
import { guardOf } from '../guard.ts';
import type { Entry, Ledger } from './reaper/ledger.ts';
import type { Emit, PortInstance } from '../../machines/kernel/ports.ts';
import type { ProcessCommand, ProcessFact, OpenProcess } from '../../machines/ports/process.ts';

export const ringBytes = 64 * 1024;

interface StderrRing {
  push(chunk: Uint8Array): void;
  /** Without characters cut off at either end; `recent` gives only the output of the last `recentMs`. */
  text(which?: 'recent'): string;
}
/** Time in ms before the end of a child in which its stderr output may explain the end. */
export const recentMs = 5_000;
/** Output within this many ms is recorded as one mark, so that frequent writes take little memory. */
const stepMs = 100;

export function createStderrRing(
  limit: number = ringBytes,
  now: () => number = () => performance.now(),
): StderrRing {
  // Allocated with the first byte, because most children write nothing to stderr.
  let ring: Buffer | undefined;
  let total = 0;
  const marks: { readonly at: number; readonly before: number }[] = [];
  const forget = (at: number): void => {
    while (marks[0] && marks[0].at < at - recentMs) marks.shift();
  };
  const text = (which?: 'recent'): string => {
    if (!ring) return '';
    forget(now());
    const at = total % limit;
    const bytes =
      total < limit ? ring.subarray(0, total) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    const wanted = which === 'recent' ? total - (marks[0]?.before ?? total) : bytes.length;
    let from = Math.max(0, bytes.length - wanted);
    // Skips continuation bytes (10xxxxxx) at the start, whose character begins before the kept bytes; there are at most three.
    const most = from + 3;
    if (total > wanted) while (from < most && (bytes[from] ?? 0) >> 6 === 0b10) from += 1;
    // Drops an incomplete last character, which would otherwise become a replacement mark, by decoding with `stream`.
    return new TextDecoder().decode(bytes.subarray(from), { stream: true });
  };
  return {
    push: (chunk) => {
      ring ??= Buffer.allocUnsafe(limit);
      const at = now();
      forget(at);
      if (at >= (marks.at(-1)?.at ?? -Infinity) + stepMs) marks.push({ at, before: total });
      const kept = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
      const to = (total + chunk.length - kept.length) % limit;
      const first = kept.subarray(0, limit - to);
      ring.set(first, to);
      ring.set(kept.subarray(first.length), 0);
      total += chunk.length;
    },
    text,
  };
}

/** Time in ms after the end of a child before its pipes are closed, because a grandchild may hold them open for ever. */
const pumpMs = 50;

export interface ProcessPortOptions {
  readonly launchOf: (server: string, spec: number) => LaunchSpec | undefined;
  readonly ledger: Ledger;
  readonly wrote?: (server: string, chunk: Buffer) => void;
  readonly launcher?: Launcher | undefined;
}

/** A child stays in the ledger until no process of it lives; facts come only after the port has returned. */
export const processPortOf =
  ({ launchOf, ledger, wrote = () => {}, launcher = localLauncher }: ProcessPortOptions): OpenProcess =>
  (_at, { server, spec: number, key }, emit) => {
    let spec: LaunchSpec | undefined;
    let launched: Launched;
    try {
      spec = launchOf(server, number);
      if (!spec) return failed(noCommand(server), emit);
      ledger.expect();
      launched = launcher.launch({ ...spec, server }, environmentOf(spec, ledger.instance));
    } catch (error) {
      return failed(failureOf(spec?.command ?? server, error), emit);
    }
    const entry = entryOf(key, launched);
    ledger.enter(entry);
    const heard = (chunk: Buffer): void => wrote(server, chunk);
    return running(launched, entry, (error) => failureOf(spec.command, error), { ledger, emit, heard });
  };

interface Failure {
  readonly message: string;
  readonly isFinal: boolean;
}
const noCommand = (server: string): Failure => ({
  message: `cannot start "${server}": no command is known for it`,
  isFinal: true,
});
const childFailed = ({ message, isFinal }: Failure): ProcessFact => ({
  type: 'child.failed',
  message,
  ...(isFinal && { isFinal }),
});

/** A failed signal has no effect, and a child whose state cannot be read counts as alive. */
function entryOf(key: string, launched: Launched): Entry {
  const { stdin, stdout, group } = launched;
  const attempt = <T>(run: () => T, otherwise: T): T => {
    try {
      return run();
    } catch {
      return otherwise;
    }
  };
  return {
    key,
    group,
    streams: { stdin, stdout },
    signal: (signal) => attempt(() => launched.signal(signal), undefined),
    living: () => attempt(() => launched.living(), 1),
    remains: () => attempt(() => launched.remains?.(), undefined),
  };
}

function failed(failure: Failure, emit: Emit<ProcessFact>): PortInstance<ProcessCommand> {
  let isClosed = false;
  queueMicrotask(() => {
    if (!isClosed) emit(childFailed(failure));
  });
  return {
    tell: () => {},
    close: () => {
      isClosed = true;
    },
  };
}

interface Watching {
  readonly ledger: Ledger;
  readonly emit: Emit<ProcessFact>;
  readonly heard: (chunk: Buffer) => void;
}
function running(
  { stdin, stdout, stderr, started, ended }: Launched,
  entry: Entry,
  because: (error: unknown) => Failure,
  { ledger, emit, heard }: Watching,
): PortInstance<ProcessCommand> {
  const ring = createStderrRing();
  let isClosed = false;

  const tell = (fact: ProcessFact): void => {
    if (!isClosed) emit(fact);
  };
  const cutPipes = (): void => {
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  };
  // Handles the error of a broken pipe, which the reader of the pipe reports itself; without a handler it would end this process.
  for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => {});
  let isKilled = false;
  const guard = guardOf((why) => {
    isKilled = true;
    ring.push(Buffer.from(`\n${why}`));
    entry.signal('SIGKILL');
    cutPipes();
  });
  stderr.on(
    'data',
    guard((chunk: Buffer) => {
      ring.push(chunk);
      heard(chunk);
    }),
  );
  /** Falls back to `bare`, without the child's output, where the host fails on the fact. */
  const surely = (fact: ProcessFact, bare = fact): void => guardOf(() => tell(bare))(() => tell(fact))();
  const drained = Promise.all([stdout, stderr].map(endOf));

  const end = ended.catch(() => ({ code: null, signal: null }));
  const live = async (pid: number): Promise<void> => {
    surely({ type: 'child.started', pid });
    const ending = await end;
    // A child may end well before the signal reaches it on Windows, where its pipes are cut first.
    const { code, signal } = isKilled ? ({ code: null, signal: 'SIGKILL' } as const) : ending;
    stdin.destroy();
    await pumped(drained, cutPipes);
    const left = ledger.leaderEnded(entry, () => surely({ type: 'group.emptied' }));
    const [all, recent] = [ring.text(), ring.text('recent')];
    const exited = { type: 'child.exited', code, signal, stderr: '', left } as const;
    surely({ ...exited, stderr: all, ...(recent !== all && { recent }) }, exited);
  };
  started.then(guard(live), (error: unknown) => {
    cutPipes();
    ledger.leaderEnded(entry, () => {});
    surely(childFailed(because(error)));
  });
  return {
    tell: (command) => {
      if (isClosed) return;
      if (command.type === 'child.signal') entry.signal(command.signal);
      else stdin.end();
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      entry.signal('SIGKILL');
      cutPipes();
    },
  };
}

const endOf = (pipe: Readable): Promise<void> =>
  new Promise((resolve) => void finished(pipe, { writable: false }, () => resolve()));

async function pumped(drained: Promise<unknown>, cut: () => void): Promise<void> {
  let overdue: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    // Waits one more turn of the event loop after the timer, so that a busy host still reads the output that has arrived.
    overdue = setTimeout(() => setImmediate(resolve), pumpMs);
  });
  await Promise.race([drained, late.then(cut)]);
  clearTimeout(overdue);
}
