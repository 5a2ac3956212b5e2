import { finished, type Readable } from 'node:stream';
import { environmentOf, type Launched, type Launcher, type LaunchSpec } from './environment.ts';
import { failureOf, localLauncher } from './local-launcher.ts';
import type { Entry, Ledger } from './reaper/ledger.ts';
import type { Emit, PortInstance, Ports, ProcessCommand, ProcessFact } from '../../machines/kernel/ports.ts';

/** How much of what a child said on stderr is kept. */
export const ringBytes = 64 * 1024;

interface StderrRing {
  push(chunk: Uint8Array): void;
  /** The last bytes as text. Characters that were cut at either end are left out. `recent`: what came within `recentMs` until now. */
  text(which?: 'recent'): string;
}
/** So long before the end of a child its words may explain it. */
export const recentMs = 5_000;
/** Whatever comes within so long counts as one. */
const stepMs = 100;

/** Keeps the last `limit` bytes, and never more memory than that however much and however slowly is said. */
export function createStderrRing(
  limit: number = ringBytes,
  now: () => number = () => performance.now(),
): StderrRing {
  // Most children say nothing: no memory before the first byte.
  let ring: Buffer | undefined;
  let total = 0;
  /** When something came, and how much had come before it: of the last `recentMs` only. */
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
    // Bytes 10xxxxxx at the start belong to a character whose head is not there; there are at most three.
    const most = from + 3;
    if (total > wanted) while (from < most && (bytes[from] ?? 0) >> 6 === 0b10) from += 1;
    // `stream` keeps an unfinished last character back, where it would else become a replacement mark.
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

/** A grandchild that holds the pipes of a dead child may do so for ever: after this long they are cut. */
const pumpMs = 50;

export interface ProcessPortOptions {
  /** A launch spec of a configured server by its number; undefined when there is none. */
  readonly launchOf: (server: string, spec: number) => LaunchSpec | undefined;
  readonly ledger: Ledger;
  /** Hears what a child of this server writes to stderr, as it comes. */
  readonly wrote?: (server: string, chunk: Buffer) => void;
  /** Default: children of this process. */
  readonly launcher?: Launcher | undefined;
}

/**
 * The real `process` port, over any launcher: what it launches stands in the ledger from the moment it exists until
 * nothing of it lives. Facts never come before the port has returned.
 */
export const processPortOf =
  ({ launchOf, ledger, wrote = () => {}, launcher = localLauncher }: ProcessPortOptions): Ports['process'] =>
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
    launched.stderr.on('data', (chunk: Buffer) => wrote(server, chunk));
    return running(launched, entry, (error) => failureOf(spec.command, error), ledger, emit);
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

/** A launcher of somebody else's may throw where it must not: what it cannot do is not done, what it cannot tell lives. */
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
  };
}

/** The child that could not even be tried. */
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

function running(
  { stdin, stdout, stderr, started, ended }: Launched,
  entry: Entry,
  because: (error: unknown) => Failure,
  ledger: Ledger,
  emit: Emit<ProcessFact>,
): PortInstance<ProcessCommand> {
  const ring = createStderrRing();
  let isClosed = false;

  const tell = (fact: ProcessFact): void => {
    if (!isClosed) emit(fact);
  };
  const cutPipes = (): void => {
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  };
  // A broken pipe is news for whoever speaks over it; unheard it would end this process.
  for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => {});
  stderr.on('data', ring.push);
  const drained = Promise.all([stdout, stderr].map(endOf));

  const end = ended.catch(() => ({ code: null, signal: null }));
  const live = async (pid: number): Promise<void> => {
    tell({ type: 'child.started', pid });
    const { code, signal } = await end;
    stdin.destroy();
    await pumped(drained, cutPipes);
    const left = ledger.leaderEnded(entry, () => tell({ type: 'group.emptied' }));
    const [all, recent] = [ring.text(), ring.text('recent')];
    tell({ type: 'child.exited', code, signal, stderr: all, ...(recent !== all && { recent }), left });
  };
  started.then(live, (error: unknown) => {
    cutPipes();
    ledger.leaderEnded(entry, () => {});
    tell(childFailed(because(error)));
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

/** When there is nothing more to read, however that came. */
const endOf = (pipe: Readable): Promise<void> =>
  new Promise((resolve) => void finished(pipe, { writable: false }, () => resolve()));

/** After the end of the child, until its pipes have ended, too, or were cut. */
async function pumped(drained: Promise<unknown>, cut: () => void): Promise<void> {
  let overdue: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    // One more turn of the loop after the timer, so that a host that was busy still reads what is there.
    overdue = setTimeout(() => setImmediate(resolve), pumpMs);
  });
  await Promise.race([drained, late.then(cut)]);
  clearTimeout(overdue);
}
