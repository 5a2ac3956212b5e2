const ping = '-/ping';

/** A registry that redirects counts as missing, because it may lead to the login page of a network. */
export async function fastestRegistry(
  registries: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const decided = new AbortController();
  const either = AbortSignal.any([signal, decided.signal]);
  const usable = async (registry: string): Promise<string> => {
    if (await probe(registry, either)) return registry;
    throw new Error(`${registry} is no registry`);
  };
  return Promise.any(registries.map(usable))
    .catch(() => undefined)
    .finally(() => decided.abort());
}

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
