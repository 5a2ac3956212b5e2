import { setTimeout as pause } from 'node:timers/promises';
import type { Computer } from '../../api/computer-handle.ts';
import {
  violation,
  brokenByChange,
  brokenByList,
  isDocument,
  isTold,
  isWindow,
  type Violation,
  type ReadTwice,
} from '../../../machines/resources/check/index.ts';
import { CheckReader } from './reader.ts';
import { Walk, type WalkedCounts } from './walk.ts';

export interface CheckPlan {
  readonly server: string;
  readonly limitMs: number;
  /** Between the two reads; 0: there is one. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** What is done just now, in a few words. */
  readonly onStep: (step: string) => void;
}
export interface Checked {
  readonly read: Readonly<WalkedCounts>;
  readonly violations: readonly Violation[];
}
/** How long a change may take to be told after it was seen: updates are gathered for 200 ms at the most. */
const toldWithinMs = 1_000;

/** Reads all that a server shows, twice, and judges it. */
export async function checkServer(computer: Computer, plan: CheckPlan): Promise<Checked> {
  const { server, limitMs, onStep } = plan;
  const declared = computer.servers().find(({ name }) => name === server)?.resources;
  const nothing = { windows: 0, documents: 0, pages: 0, elements: 0 };
  if (!declared) return { read: nothing, violations: [] };
  const told: string[] = [];
  const stop = computer.on('resource.updated', ({ uri }) => void told.push(uri));
  let reads = 0;
  const reader = new CheckReader(computer, server, limitMs, (uri) => onStep(`read ${(reads += 1)}: ${uri}`));
  const walk = new Walk(reader);
  try {
    const listed = await listOf(computer, plan);
    if (!listed) return { read: nothing, violations: [violation('list', null, null, 'no list came')] };
    const broken = brokenByList(declared, listed);
    reader.add(broken);
    const isRight = (uri: string): boolean => !broken.some((each) => each.uri === uri);
    const [windows, documents] = [listed.filter(isWindow), listed.filter(isDocument)];
    computer.watchResources(server, [...windows, ...documents].filter(isRight));
    for (const uri of windows.filter(isRight)) await unlessOver(plan, () => walk.window(uri));
    for (const uri of documents.filter(isRight)) await unlessOver(plan, () => walk.document(uri));
    if (plan.waitMs > 0) await readAgain(reader, plan, told);
    return { read: walk.counts, violations: reader.violations };
  } finally {
    stop();
  }
}
const unlessOver = ({ signal }: CheckPlan, work: () => Promise<void>): Promise<void> =>
  signal.aborted ? Promise.resolve() : work();

/** The URIs that it lists; undefined: no list came. */
async function listOf(
  computer: Computer,
  { server, onStep }: CheckPlan,
): Promise<readonly string[] | undefined> {
  onStep('waiting for its list of resources');
  const listed = (await computer.resources()).find((each) => each.server === server);
  return listed?.failure === null ? listed.resources.map(({ uri }) => uri) : undefined;
}

/** Whatever is another text now must have been told of. What has left the list meanwhile is no content any more. */
async function readAgain(reader: CheckReader, plan: CheckPlan, told: readonly string[]): Promise<void> {
  const { waitMs, signal, onStep } = plan;
  onStep(`waiting ${waitMs / 1000} s for changes`);
  await pause(waitMs, undefined, { signal }).catch(() => {});
  const changed: ReadTwice[] = [];
  for (const [uri, before] of reader.first) {
    if (signal.aborted) return;
    const after = await reader.again(uri);
    if (after !== undefined && after !== before) changed.push({ uri, before, after });
  }
  // What is told late is told: updates are gathered for a while.
  if (changed.some(({ uri }) => !isTold(uri, told)))
    await pause(toldWithinMs, undefined, { signal }).catch(() => {});
  for (const each of changed) reader.add(brokenByChange(each, told));
}
