import { writeSync } from 'node:fs';

const lastWords = `
<--- Last few GCs --->

[1:0x1]    42 ms: Mark-Compact 2046.1 (2082.4) -> 2045.9 (2083.1) MB, 1180.51 / 0.00 ms  allocation failure

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
`;
const announcement = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
const logHead = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"';
const logTail = '"}}';

/** Faults that need other processes. The module for them is loaded only then, because loading it takes time. */
export const launching = new Set(['proc.zombieGrandchild', 'proc.pause']);

/** Creates the faults that do not change an answer but act at once when their moment comes. */
export function createActs({ childProcess, output, input, lifeMs, log }) {
  const grandchildren = [];
  const started = (command, args, options) => {
    const child = childProcess.spawn(command, args, options);
    // No such command: there is no pid, and nothing happens.
    child.on('error', () => {});
    child.unref();
    return child;
  };
  const sh = (script, stdio) => started('sh', ['-c', script], { stdio });
  // Windows has no `sh`; a child there outlives its parent only when it is detached. The arguments say whose it is.
  const idle = (stdio) =>
    started(process.execPath, ['-e', `setTimeout(() => {}, ${lifeMs})`, '--', ...process.argv.slice(2)], {
      stdio,
      detached: true,
      windowsHide: true,
    });
  const leaveBehind = ({ holdsPipes, ignoresSigterm }) => {
    // A signal that is ignored stays ignored over exec; `sleep` ends by itself in any case.
    const script = `${ignoresSigterm ? "trap '' TERM; " : ''}exec sleep ${seconds(lifeMs)}`;
    const stdio = holdsPipes ? 'inherit' : 'ignore';
    const child = process.platform === 'win32' ? idle(stdio) : sh(script, stdio);
    grandchildren.push(child);
    log({ did: 'grandchild', pid: child.pid });
  };
  const pause = ({ ms }) => {
    const waker = sh(`sleep ${seconds(ms)}; kill -CONT ${process.pid}`, 'ignore');
    if (waker.pid !== undefined) process.kill(process.pid, 'SIGSTOP');
  };
  const launches = { 'proc.zombieGrandchild': leaveBehind, 'proc.pause': pause };
  return {
    acts: new Map(Object.entries({ ...ends, ...launches, ...streamActs(output, input, log) })),
    /** Ends in the middle of a notification: at `start` and `ready` there is no answer to break off. */
    partial: ({ code }) => breakOff(output, Buffer.from(JSON.stringify(announcement)), code),
    killGrandchildren: () => {
      for (const child of grandchildren) child.kill('SIGKILL');
    },
  };
}

const seconds = (ms) => (ms / 1000).toFixed(3);

/** Ends the process by a signal. Handlers are removed first, because a handled signal would not end it. */
export function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

const ends = {
  'proc.exit': ({ code }) => process.exit(code),
  'proc.kill': ({ signal }) => endBy(signal),
  // Starts after the first n do not have this fault any more.
  'proc.crashLoop': ({ code }) => process.exit(code),
  'proc.exitClean': () => process.exit(0),
  'proc.oom': () => {
    try {
      writeSync(2, lastWords);
    } catch {
      // Stderr is closed.
    }
    endBy('SIGABRT');
  },
};

const streamActs = (output, input, log) => ({
  'proc.stdoutClosed': () => output.close(),
  'proc.stderrFlood': ({ bytes }) => {
    const row = `${'flood '.repeat(13)}\n`;
    process.stderr.write(row.repeat(Math.ceil(bytes / row.length)).slice(0, bytes));
  },
  'frame.garbageLine': ({ text }) => output.line(text),
  'frame.bannerOnStdout': ({ text }) => output.line(text),
  'frame.oversize': ({ bytes }) =>
    output.line(logHead + 'x'.repeat(Math.max(0, bytes - logHead.length - logTail.length)) + logTail),
  // Messages written before this line of the log may be lost unread.
  'frame.epipe': () => input.close(() => log({ did: 'stdin.closed' })),
  'frame.backpressure': ({ ms }) => {
    input.pause();
    if (ms > 0) setTimeout(() => input.resume(), ms);
  },
  'life.requestBeforeReady': ({ method }) =>
    output.line(JSON.stringify({ jsonrpc: '2.0', id: 'before-ready', method })),
});

/** Writes half of a line and ends the process. */
export function breakOff(output, bytes, code) {
  output.raw(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => process.exit(code));
}
