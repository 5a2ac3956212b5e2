import { daily, words } from './words.ts';

const widest = 100;
const whenUnknown = 80;
export const helpWidth = (columns: number | undefined): number => Math.min(widest, columns || whenUnknown);

const examples = `a2c: MCP servers at the command line, and for remote agents
  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c tools files
  a2c call files.read_file path=README.md`;
/** Written here, so that help loads no command; a test compares them. */
const others = [
  ...['resources', 'prompts', 'prompt', 'desktop', 'finder', 'skills', 'skill', 'keep', 'logout', 'enable'],
  ...['disable', 'export', 'get', 'doctor', 'office', 'computer', 'documents', 'inspect', 'generate'],
  ...['schema', 'completion', 'trace show|replay|verify|fork|redact|why', 'lab sim|judge'],
];
function wrapped(names: readonly string[], width: number): string {
  const lines = [' '];
  for (const name of names) {
    const line = `${lines.at(-1)} ${name}`;
    if (line.length > width) lines.push(`  ${name}`);
    else lines[lines.length - 1] = line;
  }
  return lines.join('\n');
}
/** One screen: the commands of every day with what they do, of the others the names. */
export const mainHelp = (width: number): string =>
  [
    examples,
    'Usage: a2c COMMAND [options]',
    ...daily.map((name) => `  ${name.padEnd(6)}  ${words[name]}`),
    'More: (a2c help COMMAND tells all of one; a2c help options those of many)',
    wrapped(others, width),
  ].join('\n');
