import { finished, type Readable } from 'node:stream';
import type { Launched, Launcher, LaunchSpec } from './launcher.ts';
import { environmentOf } from './environment.ts';
import { failureOf, localLauncher } from './local-launcher.ts';
import { guardOf } from '../guard.ts';
import type { Entry, Ledger } from './reaper/ledger.ts';
import { createStderrRing } from './stderr-ring.ts';
import type { Emit, PortInstance } from '../../machines/kernel/ports.ts';
import type { ProcessCommand, ProcessFact, OpenProcess } from '../../machines/ports/process.ts';

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
