import { X509Certificate } from 'node:crypto';
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

/** The certificates of a PEM file. Never rejects; a reason names the file. */
export async function readCertificates(
  path: string,
  folder = process.cwd(),
): Promise<{ readonly pem: string } | { readonly reason: string }> {
  const file = resolve(folder, path);
  const pem = await readConfigText(file);
  if (typeof pem !== 'string') return { reason: `ca: ${file} ${pem.message}` };
  // Judged here: TLS takes a text without any, and then trusts nobody without a word.
  return isCertificate(pem) ? { pem } : { reason: `ca: ${file} holds no certificate (PEM)` };
}
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
