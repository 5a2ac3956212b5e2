import type { ServerOptions, SourceOptions, WriteOptions } from './options.ts';
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answers, Confirm, SampleAnswer } from '../api/computer-options.ts';
import { inOneLine } from './printing/contents.ts';
import type { AskInput } from '../servers/inputs.ts';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { isSecretInput } from '../../machines/secrets/secret-names.ts';
import { badRequest } from '../kernel/errors.ts';
import type { CommandContext } from './context.ts';

type AnswerOptions = Pick<SourceOptions, 'root' | 'sampling'>;
const sampleMs = 110_000;

/** `folders` counts when `--root` is missing; without both, servers are told none. */
export function answersBy(
  terminal: Terminal,
  { root, sampling }: AnswerOptions,
  folders?: (server: string) => readonly string[],
): Answers {
  const rootsOf = root === undefined ? folders : () => root.map((folder) => resolve(folder));
  return {
    ...(rootsOf && { roots: ({ server }) => rootsOf(server).map(asRoot) }),
    ...(sampling !== undefined && {
      sample: async ({ params, signal }) => sampled(sampling, params, signal),
    }),
    // Offers forms (elicitation) only when a person is at the terminal; otherwise servers learn that they cannot ask.
    ...(terminal.isInteractive && {
      elicit: async ({ server, params, signal }) => {
        const { fillIn } = await import('./form.ts');
        return fillIn(terminal, server, params, signal);
      },
      elicitUrl: async ({ server, params, signal }) => open(terminal, server, params, signal),
    }),
  };
}
const asRoot = (folder: string): { uri: string; name: string } => ({
  uri: pathToFileURL(folder).href,
  name: basename(folder),
});
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
  const { openInBrowser } = await import('../../adapters/process/run-text.ts');
  if (!(await openInBrowser(String(url)))) terminal.err('no browser could be started; open it by hand');
  return { action: 'accept' };
}

async function sampled(
  command: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<SampleAnswer> {
  const { runText } = await import('../../adapters/process/run-text.ts');
  const text = await runText(command, { input: JSON.stringify(params), ms: sampleMs, signal });
  try {
    const result: unknown = JSON.parse(text);
    if (typeof result === 'object' && result !== null && 'content' in result)
      return { model: 'command', role: 'assistant', ...(result as Pick<SampleAnswer, 'content'>) };
  } catch {
    // Takes output that is not JSON as the text answer of the model.
  }
  return { model: 'command', role: 'assistant', content: { type: 'text', text: text.trim() } };
}

type KeyringOptions = Pick<SourceOptions, 'keyring' | 'config'>;

/**
 * An empty answer takes the default, and so does Ctrl-C, unless it ends the command (`isBrief`). Without a terminal no
 * question is asked.
 */
export async function inputsAt(
  terminal: Terminal,
  { keyring = false, config = [''] }: KeyringOptions,
  isBrief = false,
): Promise<AskInput | undefined> {
  const ask = terminal.isInteractive ? asking(terminal, isBrief) : undefined;
  if (!keyring) return ask;
  const { keptBy } = await import('./kept-passwords.ts');
  return keptBy(terminal, ask, config);
}
function asking(terminal: Terminal, isBrief: boolean): AskInput {
  let mayInterrupt = isBrief;
  const orEnd = <T>(answer: T, signal: AbortSignal): T => {
    if (answer !== null || !mayInterrupt || signal.aborted) return answer;
    // A second interrupt would end the process at once.
    mayInterrupt = false;
    terminal.interrupt();
    return answer;
  };
  return async (definition) => {
    const { id, type, description, signal } = definition;
    // Takes inputs of type `command` from environment variables only, because VS Code alone runs them.
    if (type === 'command') return undefined;
    const what = description === '' ? id : description;
    const isSecret = isSecretInput(definition);
    const shown = isSecret ? 'default' : definition.default;
    const preset = definition.default === null ? '' : ` [${shown}]`;
    if (type === 'promptString') {
      const answer = await terminal.question(`${what}${preset}: `, signal, { isSecret });
      return orEnd(answer, signal) ?? undefined;
    }
    const { options, labels = {} } = definition;
    const enumNames = options.map((option) => labels[option] ?? option);
    const field = { enum: options, enumNames };
    const { askField } = await import('./form.ts');
    const answer = await askField(terminal, { name: `${what}${preset}`, field, isRequired: false }, signal);
    return orEnd(answer, signal) ? String(answer?.value) : undefined;
  };
}

/** Without a terminal `ask` denies every call. */
export function confirmBy(word: ServerOptions['confirm'], terminal: Terminal): Confirm | undefined {
  if (word !== 'ask') return word;
  if (!terminal.isInteractive) return undefined;
  return async ({ agent, server, tool, title, arguments: given, signal }) => {
    const what = `${tool} of ${server}`;
    const who = agent === null ? 'this host' : agent === 'agent' ? 'the agent' : `agent ${agent}`;
    terminal.err(`${who} wants to run ${what}: ${JSON.stringify(given)}`);
    if (title !== tool) terminal.err(`  its server calls it ${inOneLine(JSON.stringify(title), 100)}`);
    const told = (): void => terminal.err(`${what}: ${(signal.reason as Error).message}`);
    signal.addEventListener('abort', told, { once: true });
    // Repeats the tool name, because several questions may wait and the name tells which one is open.
    const answer = await terminal.question(`run ${what}? [y/N/a = yes, and do not ask again] `, signal);
    if (answer === null) return 'deny';
    if (/^a(lways)?$/i.test(answer.trim())) return 'allowForSession';
    return /^y(es)?$/i.test(answer.trim()) ? 'allow' : 'deny';
  };
}

/** An empty answer means `preset`; null when there is no answer or the question was withdrawn. */
export async function yesOrNo(
  terminal: Terminal,
  text: string,
  signal: AbortSignal,
  preset: boolean,
): Promise<boolean | null> {
  for (;;) {
    const answer = await terminal.question(`${text} ${preset ? '[Y/n]' : '[y/N]'} `, signal);
    if (answer === null) return null;
    const word = answer.trim();
    if (word === '') return preset;
    if (/^y(es)?$/i.test(word)) return true;
    if (/^no?$/i.test(word)) return false;
    terminal.err(`'${word}' is neither yes nor no`);
  }
}

/** Whether a file may be written: by option, or after a yes. */
export async function mayWrite(
  { terminal, signal }: CommandContext,
  what: string,
  { yes = false, dryRun = false }: WriteOptions,
): Promise<boolean> {
  if (dryRun || yes) return !dryRun;
  if (terminal.isInteractive) return (await yesOrNo(terminal, `Write ${what}?`, signal, false)) === true;
  throw badRequest(
    'nothing was written: nobody can be asked',
    'Write it with --yes, or look with --dry-run.',
  );
}
