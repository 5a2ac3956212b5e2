import type { OutputLine } from '../../servers/server-output.ts';

/** `12:00:01 stderr  listening`: the time of day in UTC, where it was written, the text. */
export const logLine = ({ at, from, level, text }: OutputLine): string =>
  `${at.slice(11, 19)} ${(level ?? from).padEnd(7)} ${text}`;
