/** What a command does, in one line: the same in the help of the shell and of the prompt. */
export const words = {
  tools: 'what can be called; of one tool, how',
  call: 'call a tool, such as files.read_file path=README.md',
  read: 'read a document, a window, or any resource',
  add: 'add a server: a command behind --, a URL, or JSON',
  remove: 'take a server out',
  enable: 'let a disabled server start again',
  disable: 'keep a server from starting',
  list: 'which servers there are',
  import: 'take over the servers of another application',
  login: 'log in to a server behind a URL',
  status: 'where each server stands, and why; of one, what it wrote last',
  logs: 'what a server writes to stderr and logs',
  why: 'why something failed, in five lines',
  up: 'a host with a prompt, and an office for remote agents',
  serve: 'stand between an MCP client and its servers, and keep them up',
  desktop: 'the desktop: the windows of all servers',
  finder: 'the Finder: the documents of all servers as a list',
  help: 'this; with a command, all about it',
} as const;
export type Word = keyof typeof words;
/** The commands of every day, as `a2c help` lists them. */
export const daily = [
  ...(['tools', 'call', 'read', 'add', 'remove', 'list', 'import'] as const),
  ...(['login', 'status', 'logs', 'why', 'up', 'serve'] as const),
] satisfies readonly Word[];
/** Commands that the shell and the prompt both have. */
export const shared = [
  ...(['tools', 'call', 'read', 'add', 'remove', 'enable', 'disable', 'list'] as const),
  ...(['status', 'logs', 'why', 'desktop', 'finder', 'help'] as const),
] satisfies readonly Word[];

/** Commands that moved behind a noun, until 0.2. */
const nounOf: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['show', 'replay', 'verify', 'fork', 'redact'].map((name) => [name, 'trace'])),
  ...Object.fromEntries(['sim', 'judge'].map((name) => [name, 'lab'])),
};
/** Their `mcp add` is taken as ours, so that a line of a README can be pasted behind `a2c`. */
const clients: ReadonlySet<string> = new Set(['claude', 'codex', 'gemini', 'qwen', 'amp', 'copilot']);

/** As the commands of today are called; also what was pasted from the page of a server. */
export function asToday(argv: readonly string[]): readonly string[] {
  const [first = '', second, ...rest] = argv;
  if (clients.has(first) && second === 'mcp') return asToday(['mcp', ...rest]);
  if (first === 'mcp' && second !== undefined) return asToday([second, ...rest]);
  if (first === 'code' && second === '--add-mcp') return ['add', ...namedEntry(rest)];
  if (first === 'add-json') return ['add', ...argv.slice(1)];
  if (first === 'help') return second === undefined ? ['--help'] : asToday([second, ...rest, '--help']);
  const noun = Object.hasOwn(nounOf, first) ? nounOf[first] : undefined;
  return noun === undefined ? argv : [noun, ...argv];
}
/** VS Code takes the name of a server from its entry. */
function namedEntry([json = '', ...more]: readonly string[]): readonly string[] {
  try {
    const { name, ...entry } = JSON.parse(json) as Readonly<Record<string, unknown>>;
    return [String(name), JSON.stringify(entry), ...more];
  } catch {
    return [json, ...more];
  }
}
