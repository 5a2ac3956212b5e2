import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openInBrowser, runText, type Terminal } from '../../../adapters/index.ts';
import type { Config, ServerConfig } from '../../../machines/config/index.ts';
import type { Answers } from '../../api/computer-options.ts';
import { fillIn } from './form.ts';
import { yesOrNo } from './yes-or-no.ts';

/** What a command says to servers that ask it: about folders, a person, a model. */
export interface AnswerOptions {
  /** Folders that servers may look at. */
  readonly root?: readonly string[];
  /** A command that answers for a model: the request as JSON on stdin, a text or a result as JSON on stdout. */
  readonly sampling?: string;
}
const sampleMs = 110_000;

/** `folders`: what servers are told when no `--root` is given; without it they are told nothing. */
export function answersBy(
  terminal: Terminal,
  { root, sampling }: AnswerOptions,
  folders?: (server: string) => readonly string[],
): Answers {
  const rootsOf = root === undefined ? folders : () => root.map((folder) => resolve(folder));
  return {
    ...(rootsOf && { roots: (server) => rootsOf(server).map(asRoot) }),
    ...(sampling !== undefined && {
      sample: async (_server, params, signal) => sampled(sampling, params, signal),
    }),
    // Without a person a server hears that it cannot ask.
    ...(terminal.isInteractive && {
      elicit: async (server, params, signal) => ({ ...(await fillIn(terminal, server, params, signal)) }),
      elicitUrl: async (server, params, signal) => open(terminal, server, params, signal),
    }),
  };
}
const asRoot = (folder: string): { uri: string; name: string } => ({
  uri: pathToFileURL(folder).href,
  name: basename(folder),
});
/** The current folder, and those that the config of a server names: it was given them to work on. */
export const foldersOf =
  ({ servers }: Config, folder: string) =>
  (server: string): readonly string[] => [
    ...new Set([folder, ...foldersIn(servers.find(({ name }) => name === server))]),
  ];
function foldersIn(server: ServerConfig | undefined): string[] {
  if (server?.kind !== 'stdio') return [];
  const { args, cwd } = server.launch;
  return args
    .filter((arg) => !arg.startsWith('-') && /[/\\]|^\.\.?$/.test(arg))
    .map((arg) => resolve(cwd ?? '.', arg))
    .filter((path) => existsSync(path) && statSync(path).isDirectory());
}

async function open(
  terminal: Terminal,
  server: string,
  { message, url }: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<{ action: 'accept' | 'decline' | 'cancel' }> {
  terminal.errText(`server ${server} asks you to open a page: ${String(message)}`);
  terminal.err(`  ${String(url)}`);
  const isWanted = await yesOrNo(terminal, 'open it?', signal, false);
  if (isWanted === null) return { action: 'cancel' };
  if (!isWanted) return { action: 'decline' };
  if (!(await openInBrowser(String(url)))) terminal.err('no browser could be started; open it by hand');
  return { action: 'accept' };
}

async function sampled(
  command: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await runText(command, { input: JSON.stringify(params), ms: sampleMs, signal });
  try {
    const result: unknown = JSON.parse(text);
    if (typeof result === 'object' && result !== null && 'content' in result)
      return { model: 'command', role: 'assistant', ...result };
  } catch {
    // A text is the answer itself.
  }
  return { model: 'command', role: 'assistant', content: { type: 'text', text: text.trim() } };
}
