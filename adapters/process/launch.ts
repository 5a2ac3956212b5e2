import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Give, Leaf, Ports, ProcessCommand, ProcessFact } from '../../machines/ports.ts';
import { groupOf } from './group.ts';
import { environmentOf, whyNotLaunched, type LaunchSpec } from './launch-spec.ts';
import type { Entry, Ledger } from './ledger.ts';
import { createStderrRing } from './stderr-ring.ts';

/** A grandchild that holds the pipes of a dead child may do so for ever: after this long they are cut. */
const pumpMs = 50;

export interface ProcessPortOptions {
  /** The launch facts of a configured server; undefined when there are none. */
  readonly launchOf: (server: string) => LaunchSpec | undefined;
  readonly ledger: Ledger;
}

/**
 * The real `process` port: each child leads a process group of its own and stands in the ledger from the
 * moment it exists until nobody of its group lives. Facts never come before the port has returned.
 */
export const processPortOf =
  ({ launchOf, ledger }: ProcessPortOptions): Ports['process'] =>
  (_at, { server, key }, give) => {
    let spec: LaunchSpec | undefined;
    let child: ChildProcessWithoutNullStreams;
    try {
      spec = launchOf(server);
      if (!spec) return failed(`cannot start "${server}": no command is known for it`, give);
      ledger.expect();
      child = spawn(spec.command, spec.args, {
        cwd: spec.cwd,
        env: environmentOf(spec, ledger.instance),
        stdio: 'pipe',
        // A group of its own, so that Ctrl-C in the terminal does not reach it and all of it can be signalled.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
    } catch (error) {
      return failed(spec ? whyNotLaunched(spec, error) : `cannot start "${server}": ${String(error)}`, give);
    }
    if (child.pid === undefined) return failing(child, spec, give);
    const group = groupOf(child.pid);
    const entry = { key, group, streams: { stdin: child.stdin, stdout: child.stdout } };
    ledger.enter(entry);
    return running(child, entry, ledger, give);
  };

/** The child that could not even be tried. */
function failed(message: string, give: Give<ProcessFact>): Leaf<ProcessCommand> {
  let isClosed = false;
  queueMicrotask(() => {
    if (!isClosed) give({ type: 'child.failed', message });
  });
  return {
    tell: () => {},
    close: () => {
      isClosed = true;
    },
  };
}

/** The child that has no pid: `error` follows. With EMFILE it has no pipes either. */
function failing(
  child: ChildProcessWithoutNullStreams,
  spec: LaunchSpec,
  give: Give<ProcessFact>,
): Leaf<ProcessCommand> {
  let isClosed = false;
  child.on('error', (error) => {
    if (!isClosed) give({ type: 'child.failed', message: whyNotLaunched(spec, error) });
    isClosed = true;
  });
  return {
    tell: () => {},
    close: () => {
      isClosed = true;
    },
  };
}

function running(
  child: ChildProcessWithoutNullStreams,
  entry: Entry,
  ledger: Ledger,
  give: Give<ProcessFact>,
): Leaf<ProcessCommand> {
  const { pid, signal, leaderReaped } = entry.group;
  const stderr = createStderrRing();
  const pipes = [child.stdin, child.stdout, child.stderr];
  let isClosed = false;
  let end: { code: number | null; signal: string | null } | undefined;
  let overdue: NodeJS.Timeout | undefined;

  const tell = (fact: ProcessFact): void => {
    if (!isClosed) give(fact);
  };
  const cutPipes = (): void => {
    for (const pipe of pipes) pipe.destroy();
  };
  // A broken pipe is news for whoever speaks over it; unheard it would end this process.
  for (const pipe of pipes) pipe.on('error', () => {});
  // A failed kill or a late complaint of Node: the child's end shows in `exit`.
  child.on('error', () => {});
  child.stderr.on('data', stderr.push);
  child.on('spawn', () => tell({ type: 'child.started', pid }));
  child.on('exit', (code, by) => {
    end = { code, signal: by };
    leaderReaped();
    // One more turn of the loop after the timer, so that a host that was busy still reads what is there.
    overdue = setTimeout(() => setImmediate(cutPipes), pumpMs);
  });
  // After `exit`, when the last pipe has ended or was cut.
  child.on('close', () => {
    clearTimeout(overdue);
    const left = ledger.leaderEnded(entry, () => tell({ type: 'group.emptied' }));
    tell({ type: 'child.exited', ...(end ?? { code: null, signal: null }), stderr: stderr.text(), left });
  });
  return {
    tell: (command) => {
      if (isClosed) return;
      if (command.type === 'child.signal') signal(command.signal);
      else child.stdin.end();
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      signal('SIGKILL');
      cutPipes();
    },
  };
}
