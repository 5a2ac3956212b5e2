import type { TracedGroup } from './ending.ts';

/** Who is told of every child, so that its end does not hang on this process alone. Never throws. */
export interface Witness {
  /** Before a child is born: from now on whatever carries the marker will be found. */
  expect(): void;
  entered(group: TracedGroup): void;
  left(group: TracedGroup): void;
  /** No child lives any more. Resolves when nothing of the witness is left; the next child calls it back. */
  dismiss(): Promise<void>;
}

/** Hears, in one sentence, why a safety net is missing. */
export type Notice = (text: string) => void;

/** One name for a group; the start time is part of it, because a number comes back. */
export const nameOf = ({ pgid, startTime }: TracedGroup): string => `${pgid} ${startTime ?? '-'}`;
