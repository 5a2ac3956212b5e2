import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

export interface Marked {
  readonly pid: number;
  readonly command: string;
}
export const readOr = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};
/** From this byte on, one character for each byte; empty when there is no file. */
export function readFrom(file: string, start: number): string {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size - start);
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, start));
  } finally {
    closeSync(fd);
  }
}
/** From the process table of Linux; zombies have no environment. */
export const processesWith = (mark: string): readonly Marked[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readOr(`/proc/${name}/environ`).includes(mark))
    .map((pid) => ({
      pid: Number(pid),
      command: readOr(`/proc/${pid}/cmdline`)
        .split('\0')
        .slice(0, 2)
        .join(' ')
        .replace(/\/\S*\//g, ''),
    }));
export const isWindows = process.platform === 'win32';
/** Windows shows no environment, so servers there note the pids of their case. */
export const livingOf = (noted: readonly Marked[]): readonly Marked[] =>
  noted.filter(({ pid }) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
/** As a program under Wine sees it; a real Windows has no such folder. */
const linuxTable = 'Z:/proc';
/** Below Wine, as Linux sees them; undefined on a real Windows. */
export const seenFromLinux = (text: string): readonly Marked[] | undefined =>
  existsSync(linuxTable)
    ? readdirSync(linuxTable)
        .filter((name) => /^\d+$/.test(name) && readOr(`${linuxTable}/${name}/cmdline`).includes(text))
        .map((pid) => ({ pid: Number(pid), command: `pid ${pid} of Linux` }))
    : undefined;
/** Ever held, in MB; 0 when the process has ended, and on Windows. */
export const peakMemoryOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;

export const endProcess = (pid: number, signal: NodeJS.Signals = 'SIGKILL'): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
};
