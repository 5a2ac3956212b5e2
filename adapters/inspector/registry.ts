import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { isSecret } from '../reading.ts';
import { removedAtExit, writePrivateSync } from '../host-files.ts';
import { tokenSubprotocol, hostFactsSchema } from '../../machines/inspection.ts';

/** Checks Host and Origin, because of DNS rebinding; a program of this machine must know the token. */
export class Neighbours {
  readonly #hosts: ReadonlySet<string>;
  readonly #token: string;

  constructor(port: number, token: string) {
    this.#hosts = new Set(['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`));
    this.#token = tokenSubprotocol(token);
  }
  /** Undefined when the request comes from the inspector's own page or from no page. */
  refusal({ host, origin }: IncomingHttpHeaders): string | undefined {
    if (host === undefined || !this.#hosts.has(host)) return 'This inspector has another address';
    if (origin === undefined) return undefined;
    const isOwn = origin === `http://${host}`;
    return isOwn ? undefined : 'Pages of other sites may not look at this host';
  }
  knows(offered = ''): boolean {
    return offered.split(',', 8).some((each) => isSecret(each.trim(), this.#token));
  }
}

/** The address contains the token, so only the user may read the file. */
const announcedSchema = hostFactsSchema.extend({ url: z.string() });
export type AnnouncedHost = z.infer<typeof announcedSchema>;

const folderOf = (stateDir: string): string => join(stateDir, 'inspectors');
const suffix = '.json';
/** Longest wait in ms for an answer on loopback; a host that does not answer in this time is busy or suspended. */
const patienceMs = 1_000;

/** Lasts until the returned function is called; throws when the file cannot be written. */
export function announceHost(stateDir: string, host: AnnouncedHost): () => void {
  const path = join(folderOf(stateDir), `${process.pid}-${randomUUID()}${suffix}`);
  writePrivateSync(path, JSON.stringify(host));
  return removedAtExit(path);
}

function read(path: string): AnnouncedHost | undefined {
  try {
    return announcedSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
/** Host of this user; `answers` is false while it is suspended, at a breakpoint, or busy. */
export interface RunningHost extends AnnouncedHost {
  readonly answers: boolean;
}
/** Undefined when the host is gone: its file may outlive it, and another program may have the port now. */
const answersAt = ({ url }: AnnouncedHost): Promise<boolean | undefined> =>
  new Promise((resolve) => {
    if (!URL.canParse(url)) return resolve(undefined);
    const { hostname, port } = new URL(url);
    const asked = request({ host: hostname, port, method: 'HEAD', path: '/', timeout: patienceMs });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.headers['content-security-policy'] === undefined ? undefined : true);
    });
    asked.on('timeout', () => {
      resolve(false);
      asked.destroy();
    });
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
/** The oldest first. Removes files of killed hosts, but not of one that takes a connection without answering. */
export async function runningHosts(stateDir: string): Promise<RunningHost[]> {
  const folder = folderOf(stateDir);
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(suffix));
  } catch {
    // Returns an empty list when no host was ever announced.
  }
  const hosts = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const host = read(path);
      const answers = host && (await answersAt(host));
      if (host && answers !== undefined) return { ...host, answers };
      rmSync(path, { force: true });
      return undefined;
    }),
  );
  return hosts
    .filter((host) => host !== undefined)
    .toSorted((a, b) => (a.started ?? '').localeCompare(b.started ?? ''));
}
