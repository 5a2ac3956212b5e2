import { createComputer } from '../computer.ts';
import type { Computer, ComputerOptions } from '../computer-handle.ts';
import { createOffice, type Office } from '../office.ts';
import { Runtime } from '../runtime.ts';
import { A2cError } from '../errors.ts';
import { Prompt } from './prompt.ts';
import { configOf, confirmBy, exitCodes, serverLine, type Context, type ServerOptions } from './shared.ts';

export interface UpOptions extends ServerOptions {
  readonly host: string;
  /** Undefined: 3000, or the next free one. */
  readonly port?: number;
  readonly office: string;
}
const firstPort = 3000;
const portsTried = 20;

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The port that was asked for, or the first free one from 3000 on. */
async function openOffice({ host, port }: UpOptions, runtime?: Runtime): Promise<Office> {
  if (port !== undefined) return createOffice({ host, port }, runtime);
  for (let next = firstPort; next < firstPort + portsTried; next++)
    try {
      return await createOffice({ host, port: next }, runtime);
    } catch (error) {
      if (!(error instanceof A2cError) || host !== '127.0.0.1') throw error;
    }
  return createOffice({ host, port: 0 }, runtime);
}

async function openComputer(
  context: Context,
  options: ServerOptions,
  office: ComputerOptions['office'],
  runtime?: Runtime,
): Promise<Computer> {
  const { terminal, signal } = context;
  const config = await configOf(options.config, terminal);
  let last = '';
  return createComputer(
    {
      ...(options.name !== undefined && { name: options.name }),
      ...(office && { office }),
      confirm: confirmBy(options.confirm, terminal),
      autoConnect: options.autoConnect,
      autoReconnect: options.autoReconnect,
      signal,
      onEvent: (name, value) => {
        // Only what a person wants to know as it happens, and nothing twice.
        const line =
          name === 'server.changed' ? `server ${serverLine(value as never)}` : linkLine(name, value);
        if (line !== undefined && line !== last) terminal.err((last = line));
      },
    },
    { config, ...(runtime && { runtime }) },
  );
}
const linkLine = (name: string, value: object): string | undefined => {
  if (name !== 'link.changed') return undefined;
  const { state, reason } = value as { state: string; reason: string | null };
  return state === 'waiting'
    ? `office not reached, trying again: ${reason ?? 'no reason given'}`
    : `office ${state}`;
};

/** Office, computer and prompt in one process. */
export async function up(context: Context, options: UpOptions): Promise<number> {
  const { terminal } = context;
  const runtime = new Runtime();
  try {
    // The config first: a wrong file starts nothing.
    await configOf(options.config, { ...terminal, err() {} });
    const office = await openOffice(options, runtime);
    const officeLine = `office ${office.url} (id ${options.office})`;
    terminal.err(officeLine);
    const seat = { url: office.url, id: options.office };
    const computer = await openComputer(context, options, seat, runtime);
    const { tools } = await computer.tools();
    terminal.err(`computer ${computer.name}: ${tools.length} tools. Type help; quit ends everything.`);
    await new Prompt(context, computer, officeLine).run();
    terminal.err('closing …');
    await computer.close();
    await office.close();
  } finally {
    await runtime.close();
  }
  return exitCodes.done;
}

export async function officeOnly(context: Context, options: UpOptions): Promise<number> {
  const { terminal, signal } = context;
  const office = await openOffice({ ...options, port: options.port ?? firstPort });
  terminal.out(office.url);
  terminal.err('office open; Ctrl-C closes it');
  office.on('seat.changed', ({ seat, stage }) =>
    terminal.err(`${seat.role} ${seat.name} ${stage} ${seat.office}`),
  );
  await untilAborted(signal);
  await office.close();
  return exitCodes.done;
}

export async function computerOnly(
  context: Context,
  options: ServerOptions & { readonly url: string; readonly office: string },
): Promise<number> {
  const computer = await openComputer(context, options, { url: options.url, id: options.office });
  context.terminal.err(`computer ${computer.name} serves; Ctrl-C closes it`);
  await untilAborted(context.signal);
  await computer.close();
  return exitCodes.done;
}
