import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readConfigText } from './read.ts';

/**
 * The variables of a file of lines `NAME=value`, as Node reads one (`--env-file`): comments, quotes and `export` are known.
 * Values are taken as they stand. Never rejects; a reason names the file and no value.
 */
export async function readEnvFile(
  path: string,
  folder = process.cwd(),
): Promise<{ readonly variables: Readonly<Record<string, string>> } | { readonly reason: string }> {
  const file = resolve(folder, path);
  const text = await readConfigText(file);
  if (typeof text !== 'string') return { reason: `envFile: ${file} ${text.message}` };
  if (text.includes('\0')) return { reason: `envFile: ${file} holds a NUL character` };
  const variables = Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { variables: Object.fromEntries(variables) };
}
