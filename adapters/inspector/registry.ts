import { createHash, timingSafeEqual, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { tokenSubprotocol } from '../../machines/inspection-wire.ts';
import { hostFactsSchema } from '../../machines/inspection.ts';

/**
 * Whom a host lets look at it. A page of another site can make a browser send requests here, under a name of its own that
 * leads to this machine too (DNS rebinding), so what the browser says of both is checked; and a program of this machine
 * has to know the token.
 */
export class Neighbours {
  readonly #hosts: ReadonlySet<string>;
  readonly #token: Buffer;

  constructor(port: number, token: string) {
    this.#hosts = new Set(['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`));
    this.#token = digest(tokenSubprotocol(token));
  }
  /** Why a request is refused; undefined: it comes from here. */
  refusal({ host, origin }: IncomingHttpHeaders): string | undefined {
    if (host === undefined || !this.#hosts.has(host)) return 'This inspector has another address';
    if (origin === undefined) return undefined;
    const isOwn = origin === `http://${host}`;
    return isOwn ? undefined : 'Pages of other sites may not look at this host';
  }
  /** Of the subprotocols that a page offers one is the token. Takes as long for a wrong one as for the right one. */
  knows(offered: string | undefined): boolean {
    const all = (offered ?? '').split(',', 8).map((each) => digest(each.trim()));
    return all.filter((each) => timingSafeEqual(each, this.#token)).length > 0;
  }
}
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Who runs, and where it can be looked at. The address holds the token, so the file is for the eyes of its user. */
const announcedSchema = hostFactsSchema.extend({ url: z.string() });
export type AnnouncedHost = z.infer<typeof announcedSchema>;

const folderOf = (stateDir: string): string => join(stateDir, 'inspectors');
const suffix = '.json';
/** Loopback: who does not answer within this is not there. */
const patienceMs = 1_000;

/** Makes it known to the other commands of this user until what is returned is called. Throws when it cannot. */
export function announceHost(stateDir: string, host: AnnouncedHost): () => void {
  const folder = folderOf(stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${process.pid}-${randomUUID()}${suffix}`);
  // Whoever lists them at this moment sees all of it or nothing.
  writeFileSync(`${path}.new`, JSON.stringify(host), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return remove;
}

function read(path: string): AnnouncedHost | undefined {
  try {
    return announcedSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
/** Something of ours listens there. A file may have outlived its host, and its port be somebody else's now. */
const answers = ({ url }: AnnouncedHost): Promise<boolean> =>
  new Promise((resolve) => {
    if (!URL.canParse(url)) return resolve(false);
    const { hostname, port } = new URL(url);
    const asked = request({ host: hostname, port, method: 'HEAD', path: '/', timeout: patienceMs });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.headers['content-security-policy'] !== undefined);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
/** The hosts of this user that can be looked at now, the oldest first. What a killed one left behind is removed. */
export async function runningHosts(stateDir: string): Promise<AnnouncedHost[]> {
  const folder = folderOf(stateDir);
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(suffix));
  } catch {
    // Nobody has announced anything yet.
  }
  const hosts = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const host = read(path);
      if (host && (await answers(host))) return host;
      rmSync(path, { force: true });
      return undefined;
    }),
  );
  return hosts
    .filter((host) => host !== undefined)
    .toSorted((a, b) => (a.started ?? '').localeCompare(b.started ?? ''));
}
