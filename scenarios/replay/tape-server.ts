import type { PlayingOptions } from '../../actors/cli/laboratory.ts';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { systemClock } from '../../actors/api/world-doors.ts';
import type { CommandContext } from '../../actors/cli/context.ts';
import { exitCodeAtEnd, exitCodes } from '../../actors/cli/exit-codes.ts';
import type { RecordedDeath } from './world/recorded.ts';
import { lineReader } from './world/played-child.ts';
import { playedServers, traceOf } from './world/world.ts';
import type { PlayedServer } from './world/played-server.ts';

interface Pipes {
  readonly input: Readable;
  readonly output: Writable;
}
type Notice = (text: string) => void;

/** For a signal, 128 plus its number, as shells report it. */
const codeOf = ({ code, signal }: RecordedDeath): number =>
  code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);

/** Ends when the client closes, `signal` aborts or the recorded death comes; resolves with the exit code. */
export function playOverPipes(
  server: PlayedServer,
  { input, output }: Pipes,
  signal: AbortSignal,
  notice: Notice,
): Promise<number> {
  const session = server.next();
  return new Promise((resolve) => {
    const end = (code: number): void => {
      played.close();
      input.off('data', read).off('end', ended);
      input.pause();
      signal.removeEventListener('abort', aborted);
      resolve(code);
    };
    const played = server.open(session, {
      say: (message) => void output.write(`${JSON.stringify(message)}\n`),
      die: (death) => {
        if (death.isOutputOnly) return void output.end();
        if (death.stderr !== '') notice(death.stderr.trimEnd());
        notice(`ended as recorded: ${death.signal === null ? `exit code ${death.code}` : death.signal}`);
        end(codeOf(death));
      },
    });
    const read = lineReader((message) => played.take(message));
    const ended = (): void => end(session.endCode ?? 0);
    const aborted = (): void => end(exitCodeAtEnd(signal));
    input.on('data', read).on('end', ended);
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
  });
}

export async function playServer(
  context: CommandContext,
  paths: readonly string[],
  { server: name, match = 'exact', strict = true }: PlayingOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const [path = '', more] = paths;
  const refuse = (text: string, code: number): number => {
    terminal.err(`error: ${text}`);
    return code;
  };
  if (more !== undefined) return refuse('--server takes one trace', exitCodes.usage);
  let servers: ReadonlyMap<string, PlayedServer>;
  try {
    const missed = ({ message }: { readonly message: string }): void => terminal.err(`miss: ${message}`);
    servers = playedServers(traceOf(path), { match, strict }, { clock: systemClock, missed });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(message, code === undefined ? unusable : exitCodes.usage);
  }
  const server = servers.get(name);
  if (!server)
    return refuse(
      `no server '${name}' in ${path}, which has ${[...servers.keys()].join(', ') || 'none'}`,
      exitCodes.usage,
    );
  const [first] = server.recorded.sessions;
  const failed = first?.process?.failed?.message ?? (first?.process ? undefined : first?.failure?.message);
  if (failed !== undefined) return refuse(`as recorded: ${failed}`, exitCodes.failed);
  const { length } = server.recorded.requests;
  terminal.err(`playing '${name}' of ${path}: ${length} recorded ${length === 1 ? 'request' : 'requests'}`);
  const pipes = { input: process.stdin, output: process.stdout };
  return playOverPipes(server, pipes, signal, (text) => terminal.errText(text));
}
const unusable = 5;
