import { traceFormat } from './format.ts';

/**
 * Translation of a line from one format version to the next, after a change of the format or of a word of the
 * API.
 */
export interface Upcaster {
  /** Format version that is read, such as `a2c-trace/2`. */
  readonly from: string;
  /** Format version of the returned line. */
  readonly to: string;
  readonly line: (line: unknown) => unknown;
}
/**
 * Upcasters in the order of versions. The list is empty because nothing older than `a2c-trace/2` was
 * published.
 */
const upcasters: readonly Upcaster[] = [];

export const isReadable = (format: string, table = upcasters): boolean =>
  format === traceFormat || table.some(({ from }) => from === format);
/** Translates a line of an older format, including head and tail, into the current one. */
export function upcast(line: unknown, format: string, table = upcasters): unknown {
  let [value, version] = [line, format];
  for (const { from, to, line: cast } of table) if (from === version) [value, version] = [cast(value), to];
  return value;
}
