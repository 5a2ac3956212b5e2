import { cameInstead, waitsFor, type Waits } from '../../machines/kernel/waits.ts';
import type { ServerStatus } from './server-handle.ts';

/** A client as it is now: its state, and of its memory what is needed here. */
interface Snapshot {
  readonly value: unknown;
  readonly context?: unknown;
  hasTag(tag: string): boolean;
}
export interface Watched {
  getSnapshot(): Snapshot;
  subscribe(next: (snapshot: Snapshot) => void): unknown;
}
/** One that wants to know since when; the machine itself has no clock. */
interface Since {
  step: string;
  at: number;
}
type For = NonNullable<ServerStatus['waits']>['for'];

const stepOf = ({ value }: Snapshot): string =>
  typeof value === 'string' ? value : String(Object.values(value as object)[0]);
const steps: Readonly<Record<string, For>> = {
  resolving: 'values',
  queued: 'permit',
  launching: 'launch',
  handshaking: 'initialize',
  listing: 'tools/list',
  unlisted: 'tools/list',
};
const words = {
  values: 'waits for the values of its inputs',
  permit: 'waits for its permit to connect',
  launch: 'waits for its program to start',
  'tools/list': 'waits for the answer to tools/list',
} as const;

/** Since when each client is in the step of connecting that it is in. */
export class ConnectingSince {
  readonly #byClient = new WeakMap<Watched, Since>();

  /** From now on. The clients of one computer are told of as they begin to connect. */
  watch(client: Watched): void {
    if (this.#byClient.has(client)) return;
    const since: Since = { step: stepOf(client.getSnapshot()), at: Date.now() };
    this.#byClient.set(client, since);
    client.subscribe((snapshot) => {
      // Calls come and go while it is ready: nobody asks then.
      const step = snapshot.hasTag('connecting') ? stepOf(snapshot) : '';
      if (step === since.step) return;
      since.step = step;
      since.at = Date.now();
    });
  }
  /** Undefined: it is not connecting. */
  of(client: Watched): ServerStatus['waits'] {
    const snapshot = client.getSnapshot();
    const step = steps[stepOf(snapshot)];
    if (!snapshot.hasTag('connecting') || !step) return undefined;
    const since = new Date(this.#byClient.get(client)?.at ?? Date.now()).toISOString();
    if (step !== 'initialize') return { for: step, since };
    const { waits } = snapshot.context as { readonly waits?: Waits | null };
    return waits ? { ...waits } : { for: step, since, came: '' };
  }
}
/** `now` in ms. `hasProcess`: it is a child process of ours. */
export function waitsText(
  { for: step, since, came }: NonNullable<ServerStatus['waits']>,
  { hasProcess, now }: { readonly hasProcess: boolean; readonly now: number },
): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  const isHandshake = step === 'connection' || step === 'headers' || step === 'initialize';
  const what = isHandshake ? waitsFor(step) : words[step];
  const started = hasProcess && isHandshake ? 'its program was started; ' : '';
  return `${started}${what} since ${seconds} s${isHandshake ? `; ${cameInstead({ came: came ?? '' })}` : ''}`;
}
