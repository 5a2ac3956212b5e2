import { nearest } from '../fault-server/nearest.mjs';
import { cases } from './cases/index.ts';
import type { Cases, Cell } from './judge.ts';
import { DriverError } from './protocol.ts';
import { asMarkdown, counted, factsOf, legend, listed, listedData, markOf, type Report } from './report.ts';
import { judgeAll } from './run.ts';

interface JudgeContext {
  readonly terminal: { out(text: string): void; err(text: string): void };
  readonly signal: AbortSignal;
  /** Command of `a2c-fault-server`. */
  readonly faultServer: readonly string[];
}
interface JudgeOptions {
  readonly only: readonly string[];
  readonly list: boolean;
  readonly atOnce: number;
  readonly json: boolean;
  readonly markdown: boolean;
}
const exitCodes = { done: 0, failed: 1, usage: 64 } as const;

class WrongUsage extends Error {}

function selected(names: readonly string[]): Cases {
  const known = Object.keys(cases);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const advice = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '--list names them all';
    throw new WrongUsage(`there is no case ${name}: ${advice}`);
  }
  return Object.fromEntries(
    Object.entries(cases).filter(([name]) => names.length === 0 || names.includes(name)),
  );
}
const isWell = (cells: Report['cells']): boolean =>
  Object.values(cells).every(({ verdict }) => verdict === 'right' || verdict === 'absent');

async function judgeDriver(
  { terminal, signal, faultServer }: JudgeContext,
  driver: readonly string[],
  { only, atOnce, json, markdown }: JudgeOptions,
): Promise<Report> {
  const some = selected(only);
  if (driver.length === 0)
    throw new WrongUsage('no driver: give its command behind --, such as -- node driver.mjs');
  if (process.platform !== 'linux' && process.platform !== 'win32')
    throw new WrongUsage('a host is judged by the process table of Linux: run it in a container');
  const tell = (text: string): void => (json || markdown ? terminal.err(text) : terminal.out(text));
  return judgeAll({ driver, faultServer, signal }, some, {
    atOnce,
    onHello: ({ name, version }) => {
      const count = Object.keys(some).length;
      tell(`${name} ${version}: ${count === 1 ? 'one case' : `${count} cases`}, ${atOnce} at once`);
    },
    onCell: (name: string, cell: Cell) => {
      const one = some[name];
      if (!one) return;
      tell(`${markOf(one, cell)} ${name.padEnd(15)} ${factsOf(cell)}`);
      if (cell.verdict !== 'right' && cell.verdict !== 'absent') tell(`  right: ${one.rule}`);
    },
  });
}

/** Returns an exit code, or undefined when it was aborted; all that it started has ended then. */
export async function judgeCommand(
  context: JudgeContext,
  driver: readonly string[],
  options: JudgeOptions,
): Promise<number | undefined> {
  const { terminal, signal } = context;
  const { json, markdown } = options;
  try {
    if (options.list) {
      const some = selected(options.only);
      const text = json ? JSON.stringify(listedData(some)) : listed(some);
      for (const line of text.split('\n')) terminal.out(line);
      return exitCodes.done;
    }
    const report = await judgeDriver(context, driver, options);
    if (json) terminal.out(JSON.stringify(report));
    else
      for (const line of markdown ? asMarkdown(report).split('\n') : [counted(report.cells), legend])
        terminal.out(line);
    return isWell(report.cells) ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof DriverError || error instanceof WrongUsage)) throw error;
    const { message } = error;
    const remedy = error instanceof DriverError ? error.remedy : undefined;
    const code = remedy === undefined ? exitCodes.usage : exitCodes.failed;
    if (json) terminal.out(JSON.stringify({ error: { code, message, remedy } }));
    else for (const line of [`error: ${message}`, ...(remedy ? [`  ${remedy}`] : [])]) terminal.err(line);
    return code;
  }
}
