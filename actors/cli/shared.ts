import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Noise, Terminal } from '../../adapters/index.ts';
import { factLine, type Fact } from '../../machines/facts/index.ts';
import { profiles, type Profile } from '../../machines/trace/index.ts';
import type { Failure } from '../../machines/wire/index.ts';
import { A2cError } from '../errors.ts';
import type { ServerStatus } from '../computer-handle.ts';
import type { RecordOptions } from '../flight-recorder.ts';
import type { Confirm } from '../runtime.ts';
import type { Laboratory } from './laboratory.ts';
import type { SourceOptions } from './source.ts';

/** Of the process: 0 = done, 1 = the operation failed, 64 = wrong usage, 130 = Ctrl-C. */
export const exitCodes = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;

export interface Context {
  readonly terminal: Terminal;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly laboratory?: () => Promise<Laboratory>;
  /** Where configs are looked for. Default: the current folder. */
  readonly folder?: string;
}
/** A line for programs: always where no person reads stdout, and with `--facts`. */
export const tellFact = ({ terminal }: Context, { facts = false }: { facts?: boolean }, fact: Fact): void => {
  if (facts || !terminal.isRead) terminal.line(factLine(fact));
};
export type ConfirmWord = 'ask' | 'allow' | 'deny';
export interface RecordingOptions {
  /** A folder. */
  readonly record?: string;
  readonly profile?: Profile;
}
export interface ServerOptions extends SourceOptions, RecordingOptions {
  readonly facts?: boolean;
  readonly reaper: boolean;
  /** A WebSocket URL for `@statelyai/inspect`. */
  readonly stately?: string;
  readonly name?: string;
  readonly confirm: ConfirmWord;
  readonly autoConnect: boolean;
  readonly autoReconnect: boolean;
}

export const portOf = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('a port is a number from 0 to 65535; 0 takes any free one');
};
/** Negative ones, too: they mean what 0 means. */
export const wholeOf = (text: string): number => {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('a whole number');
};
export const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 2_000_000) return seconds;
  throw new InvalidArgumentError('a number of seconds, 0 = without limit');
};

export const withSource = (command: Command): Command =>
  withRecording(command)
    .option(
      '-c, --config <file>',
      'the MCP servers (default: a2c.json, .mcp.json or mcp.json here, then yours, then documents over this folder)',
    )
    .option('--trust', 'trust the config of this folder from now on');
export const withRecording = (command: Command): Command =>
  command
    .option('--record <dir>', 'write there what the machines are told, for a2c replay')
    .addOption(
      new Option('--profile <what>', 'how much of it: inputs are enough to replay').choices([...profiles]),
    );
export const recordBy = ({ record: dir, profile }: RecordingOptions): RecordOptions => ({
  ...(dir !== undefined && { dir }),
  ...(profile !== undefined && { profile }),
});
/** Options of everything that starts MCP servers. */
export const withServerOptions = (command: Command): Command =>
  withSource(command)
    .option('--name <name>', 'name of the computer (default: the host name)')
    .option('--no-auto-connect', 'add the servers, but start them by hand only')
    .option('--no-auto-reconnect', 'do not start a server again that has failed')
    .option('--no-reaper', 'start no process that ends the servers should this one be killed')
    .option('--facts', 'lines for programs on stdout, also at a terminal')
    .option('--stately <url>', 'send what the machines do to @statelyai/inspect at this WebSocket URL');

/** `ask` needs a person at a terminal; without one every question is answered no. */
export function confirmBy(word: ConfirmWord, terminal: Terminal): Confirm {
  if (word !== 'ask') return word;
  if (!terminal.isInteractive) return 'deny';
  return async ({ server, tool, params, signal }) => {
    terminal.err(`${server} wants to run ${tool} ${JSON.stringify(params)}`);
    const answer = await terminal.question('run it? [y/N] ', signal);
    return answer !== null && /^y(es)?$/i.test(answer.trim());
  };
}

export const serverLine = ({ name, state, reason, nextTryMs }: ServerStatus): string =>
  `${name.padEnd(16)} ${state}${reason === undefined ? '' : `: ${reason}`}` +
  (nextTryMs === undefined ? '' : `; next try within ${Math.ceil(nextTryMs / 1000)} s`);
/** As programs read it: what stands in the contract of these lines, and nothing else. */
export const statusFact = ({ name, state, reason }: ServerStatus): Fact => ({
  type: 'server_status',
  name,
  state,
  ...(reason !== undefined && { reason }),
});
const noises: readonly [keyof Noise, string][] = [
  ['garbage', 'lines that are no JSON'],
  ['overlong', 'messages that are too long'],
  ['unknownId', 'answers that nobody waits for'],
  ['lateProgress', 'reports of progress that came too late'],
  ['protocol', 'messages that break the protocol'],
];
/** What a server wrote that reached nobody. */
export const noiseLine = (noise: Noise): string =>
  noises
    .filter(([kind]) => noise[kind] !== 0)
    .map(([kind, words]) => `${noise[kind]} ${words}`)
    .join(', ') + (noise.last === undefined ? '' : `; last: ${JSON.stringify(noise.last)}`);

export const errorOf = (error: unknown): Failure =>
  error instanceof A2cError
    ? {
        code: error.code,
        message: error.message,
        details: error.details,
        ...(error.remedy !== undefined && { remedy: error.remedy }),
      }
    : { code: 500, message: error instanceof Error ? error.message : String(error) };

/** One failure for a person or, with `--json`, as the one document on stdout. */
export function showFailure({ terminal }: Context, failure: Failure, asJson: boolean): void {
  const { code, message, details = {}, remedy = null } = failure;
  if (asJson) terminal.out(JSON.stringify({ error: { code, message, details, remedy } }));
  else terminal.err(`error: ${message}${remedy === null ? '' : `\n  ${remedy}`}`);
}
