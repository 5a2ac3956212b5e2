import type { EntryWords } from './options.ts';
import { basename, resolve } from 'node:path';
import { badRequest } from '../kernel/errors.ts';
import { withoutSecretParts } from '../../machines/secrets/shown.ts';
import { readLenientJson } from '../../machines/models/lenient-json.ts';

export const isUrl = (word: unknown): word is string =>
  typeof word === 'string' && /^https?:\/\//i.test(word);

export function entryOf(
  target: readonly string[],
  { env = [], header = [], cwd, transport, sse = transport === 'sse' }: EntryWords = {},
): object {
  const [first = '', ...args] = target;
  const isJson = first.trimStart().startsWith('{');
  if ((isUrl(first) || isJson) && args.length > 0)
    throw badRequest(`'${args[0]}' stands behind the ${isJson ? 'JSON' : 'URL'}`, 'Options begin with --.');
  if (isJson) {
    const entry = readLenientJson(first);
    if (typeof entry === 'object' && entry !== null) return entry;
    throw badRequest('the entry is not JSON', `Quote it: '{"command": "npx", "args": ["-y", "server"]}'`);
  }
  if (isUrl(first) && (env.length > 0 || cwd !== undefined))
    throw badRequest('a URL takes neither --env nor --cwd', 'Use --header.');
  if (transport !== undefined && isUrl(first) === (transport === 'stdio'))
    throw badRequest(`--transport ${transport}, and ${first}`, 'stdio takes a command, the others a URL.');
  if (!isUrl(first) && (header.length > 0 || sse))
    throw badRequest('a command takes neither --header nor --sse', 'Use --env.');
  if (isUrl(first)) {
    const headers = Object.fromEntries(header.map((text) => split(text, /:\s*/, 'Name: value')));
    return {
      ...(sse && { type: 'sse' }),
      url: first,
      ...(header.length > 0 && { headers }),
    };
  }
  return {
    command: first,
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: Object.fromEntries(env.map((text) => split(text, /=/, 'KEY=value'))) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  };
}
function split(text: string, at: RegExp, form: string): readonly [string, string] {
  const { index, 0: sign } = at.exec(text) ?? { index: -1, 0: '' };
  if (index < 1) throw badRequest(`'${text}' is not of the form ${form}`, `Write it as ${form}.`);
  return [text.slice(0, index), text.slice(index + sign.length)];
}

const runner = /^(npx|pnpx|bunx|uvx)(\.(cmd|exe))?$/i;
/** Name of a server without one: the URL, the package that a runner such as `npx` fetches, or the command. */
export function typedConfig(words: readonly string[], options: EntryWords = {}): object {
  const [first = '', ...args] = words;
  const fetched = runner.test(basename(first)) ? args.find((arg) => !arg.startsWith('-')) : undefined;
  const name = isUrl(first) ? first : withoutSecretParts(fetched ?? basename(first), () => '***');
  return { mcpServers: { [name]: entryOf(words, options) } };
}

/** These take a server as a URL before their words, or as a command after `--`. */
const beforeWords = new Set(['call', 'tools', 'resources', 'prompts', 'prompt', 'login', 'logout']);
const behindDashes = new Set([
  ...['call', 'tools', 'resources', 'prompts', 'prompt', 'read', 'desktop', 'finder', 'generate'],
  ...['status', 'doctor', 'up', 'computer', 'serve'],
]);

/** Undefined without the `--` after which the command of a server comes. */
export function splitServer(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly server: readonly string[] | undefined;
} {
  const at = argv.indexOf('--');
  if (at < 0 || !behindDashes.has(argv[0] ?? '')) return { own: argv, server: undefined };
  const server = argv.slice(at + 1);
  if (server.length === 0)
    throw badRequest('no command stands behind --', `a2c ${argv[0]} … -- npx -y some-server`);
  return { own: argv.slice(0, at), server };
}

export function withServer(
  command: string,
  operands: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
  behind: readonly string[] | undefined,
): readonly unknown[] {
  // Keeps the first word after `generate`, which is the kind of code to write.
  if (command === 'generate')
    return [operands[0], ...withServer('tools', operands.slice(1), options, behind)];
  const [first, second] = operands;
  const isBefore = beforeWords.has(command) && isUrl(first);
  if (!isBefore && behind === undefined) {
    for (const name of ['header', 'env'])
      if (options[name] !== undefined && command !== 'add')
        throw badRequest(`--${name} belongs to a server in the command line`, 'Write it into the config.');
    return [...operands, options];
  }
  if (isBefore && behind !== undefined)
    throw badRequest('a server is given twice: a URL, and a command behind --', 'Leave out one of them.');
  for (const name of ['config', 'url', 'folder'])
    if (options[name] !== undefined)
      throw badRequest(`a server in the command line, and --${name}`, 'Leave out one of them.');
  const typed = { ...options, typed: behind ?? [first] };
  if (!isBefore || command === 'login' || command === 'logout') return [...operands, typed];
  if (!Array.isArray(second))
    return [second, ...operands.slice(2), undefined, typed].slice(-operands.length - 1);
  const [word, ...rest] = second as string[];
  if (word === undefined)
    throw badRequest(`a ${command === 'call' ? 'tool' : 'prompt'} comes after the URL`, `a2c tools ${first}`);
  return [word, rest, typed];
}
