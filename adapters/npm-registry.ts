import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports } from '../machines/kernel/ports.ts';
import type { Probe, Probed } from '../machines/process/registry.machine.ts';

const most = 1024 * 1024;
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').slice(0, most);
  } catch {
    return '';
  }
};
/**
 * Tells whether an `.npmrc` in one of these folders names a registry of npm. Such a registry wins over any other, because npm
 * reads the file itself.
 */
export const isRegistryInNpmrc = (folders: readonly string[]): boolean =>
  folders.some((folder) => /^[ \t]*registry[ \t]*=[ \t]*\S/m.test(textOf(join(folder, '.npmrc'))));

/** Path that `npm ping` requests to learn whether a registry answers. */
const ping = '-/ping';

/**
 * Creates the port `npmRegistry`, which asks a package registry whether it answers. A registry that redirects counts as missing,
 * because the redirect may lead to the login page of a network.
 * `urlOf` returns the whole URL of a registry, with credentials that no state machine may see. Calling the returned function
 * aborts the request, and no answer is emitted.
 */
export const registryProber =
  (urlOf: (registry: string) => string): Ports['request'] =>
  (_from, { id, params }, emit) => {
    const { registry } = params as Probe;
    const end = new AbortController();
    const tell = (isUsable: boolean): void => {
      if (!end.signal.aborted) emit({ type: 'ask.answered', id, result: { isUsable } satisfies Probed });
    };
    probe(urlOf(registry), end.signal).then(tell, () => tell(false));
    return () => end.abort();
  };

async function probe(registry: string, signal: AbortSignal): Promise<boolean> {
  const url = new URL(ping, registry);
  const { username, password } = url;
  // Takes the credentials out of the URL, because `fetch` rejects a URL that has them.
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers =
    username === '' ? undefined : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  const answer = await fetch(url, { redirect: 'manual', signal, ...(headers && { headers }) });
  await answer.body?.cancel();
  return answer.ok;
}
