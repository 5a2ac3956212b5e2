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
/** Whether an `.npmrc` in one of these folders names the registry of npm: then that one counts, for npm itself reads it. */
export const isRegistryInNpmrc = (folders: readonly string[]): boolean =>
  folders.some((folder) => /^\s*registry\s*=\s*\S/m.test(textOf(join(folder, '.npmrc'))));

/** What the npm command itself asks a registry to see whether it is there (`npm ping`). */
const ping = '-/ping';

/**
 * The port `npmRegistry`: asks a registry whether it is there. One that redirects is none: it may be the login page of a
 * network. `urlOf` gives the whole URL, with the credentials that no machine sees. Withdrawn, it is aborted and says no more.
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
  // A URL with credentials is none for `fetch`.
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers =
    username === '' ? undefined : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  const answer = await fetch(url, { redirect: 'manual', signal, ...(headers && { headers }) });
  await answer.body?.cancel();
  return answer.ok;
}
