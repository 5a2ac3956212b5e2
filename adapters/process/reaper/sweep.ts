import { closeSync, fstatSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { endAll, markerFor, markerOf, type TracedGroup } from './ending.ts';
import { isAlive, startTimeOf, statOf } from './group.ts';
import { changeSchema, fileNameOf, headSchema, hostsDir, placeHere } from './state-file.ts';
import { nameOf, type Notice } from './witness.ts';

export interface SweepOptions {
  /** As given to the ledgers of the hosts before this one; `false`: nothing is swept. */
  readonly stateDir?: string | false | undefined;
  readonly notice?: Notice | undefined;
}
/** One process that an earlier host had left behind, and that was ended. */
export interface Leftover {
  /** Of the host that had started it. */
  readonly instance: string;
  readonly pid: number;
  /** The name of its program, without arguments. */
  readonly command: string;
}

/** Files that nobody here can judge, and halves that a crash left, are kept so long. */
const foreignMs = 30 * 86_400_000;
const halfMs = 60_000;

interface Told extends z.infer<typeof headSchema> {
  readonly groups: readonly TracedGroup[];
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Undefined for another user's: in a folder that others may write to, it could name processes of ours. */
function readOwn(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).uid === process.getuid?.() ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}

/** What a host's file tells; undefined when it is not one. A line that broke off is left out. */
function toldBy(text: string, name: string): Told | undefined {
  const [first = '', ...changes] = text.split('\n');
  const head = headSchema.safeParse(parse(first)).data;
  if (!head || fileNameOf(head.instance) !== name) return undefined;
  const groups = new Map<string, TracedGroup>();
  for (const change of changes) {
    const { data } = changeSchema.safeParse(parse(change));
    if (data && 'entered' in data) groups.set(nameOf(data.entered), data.entered);
    else if (data) groups.delete(nameOf(data.left));
  }
  return { ...head, groups: [...groups.values()] };
}

type Judgement = 'living' | 'elsewhere' | 'past boot' | 'dead';
function judge({ host, place }: Told): Judgement {
  const here = placeHere();
  if (place.machine !== here.machine) return 'elsewhere';
  if (place.boot !== here.boot) return 'past boot';
  if (place.pids !== here.pids) return 'elsewhere';
  const stat = statOf(host.pid);
  return isAlive(stat) && stat.startTime === host.startTime ? 'living' : 'dead';
}

/** This host may itself run inside something that the dead one had started, such as a terminal. */
function isInside(instance: string): boolean {
  const marker = markerFor(instance);
  for (let pid = process.pid; pid > 1; pid = statOf(pid)?.parent ?? 0)
    if (markerOf(pid) === marker) return true;
  return false;
}

async function endHost({ instance, groups }: Told): Promise<{ ended: Leftover[]; isClean: boolean }> {
  // After a while only a leader of the right age proves a group; what lost its leader is found by its marker.
  const proven = groups.filter(({ pgid, startTime }) => statOf(pgid)?.startTime === startTime);
  const { ended, left } = await endAll({ groups: proven, instances: [instance] });
  return {
    ended: ended.map(({ pid, command }) => ({ instance, pid, command })),
    isClean: left.length === 0,
  };
}

async function sweepFile(folder: string, name: string): Promise<readonly Leftover[]> {
  const path = join(folder, name);
  const remove = (): [] => {
    rmSync(path, { force: true });
    return [];
  };
  const ageMs = Date.now() - statSync(path).mtimeMs;
  if (name.endsWith('.ndjson.new')) return ageMs > halfMs ? remove() : [];
  if (!name.endsWith('.ndjson')) return [];
  const text = readOwn(path);
  if (text === undefined) return [];
  const host = toldBy(text, name);
  if (!host) return remove();
  const judgement = judge(host);
  if (judgement === 'living') return [];
  if (judgement === 'elsewhere') return ageMs > foreignMs ? remove() : [];
  if (judgement === 'past boot') return remove();
  if (isInside(host.instance)) return [];
  const { ended, isClean } = await endHost(host);
  if (isClean) remove();
  return ended;
}

/**
 * Ends what hosts that are dead left behind, as their files tell, and removes those files. A host that lives is
 * left alone, whoever else sweeps at the same time. Never rejects. Under 5 ms when there is nothing to do; at
 * most 1.5 s.
 */
export async function sweepLeftovers({ stateDir, notice }: SweepOptions = {}): Promise<readonly Leftover[]> {
  if (stateDir === false || startTimeOf(process.pid) === undefined) return [];
  const missing = (error: unknown): boolean =>
    error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const complain = (error: unknown): [] => {
    // Another host may sweep at the same time.
    if (!missing(error)) notice?.(`cannot look for what earlier hosts left behind: ${String(error)}`);
    return [];
  };
  try {
    const folder = hostsDir(stateDir);
    const swept = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => sweepFile(folder, name).catch(complain));
    return (await Promise.all(swept)).flat();
  } catch (error) {
    return complain(error);
  }
}
