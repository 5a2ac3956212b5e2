import type { GivenLimits } from '../../actors/index.ts';

/** Everything but the MCP server runs in the measuring process. */
export interface Chain {
  call(n: number): Promise<string>;
  close(): Promise<void>;
  /** In µs; only when the measured part is another process. */
  cpuUs?(): Promise<number>;
}

/** Builds a text of about a hundred bytes, different for each call, so that an answer to another call is noticed. */
export const textOf = (n: number): string => `call ${n} `.padEnd(100, '.');

/** Throws at anything but an echo, because an error would be fast. */
export function echoed(result: unknown): string {
  const { content } = result as { content?: readonly { readonly text?: string }[] };
  const text = content?.[0]?.text;
  if (text === undefined) throw new Error(`no echo: ${JSON.stringify(result)?.slice(0, 200)}`);
  return text;
}

const rate = { perSecond: 1_000_000, burst: 1_000_000 };
/** Limits that check every event and refuse none, so that only their cost is measured. */
export const unmetLimits: GivenLimits = { eventsPerSocket: rate, eventsPerOffice: rate, events: rate };
