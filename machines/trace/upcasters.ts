import { traceFormat } from './format.ts';

/** One change of the format or of a word of the API: what an older line says, in words of the next version. */
export interface Upcaster {
  /** The format that is read, such as `a2c-trace/2`. */
  readonly from: string;
  /** The format of what is returned. */
  readonly to: string;
  readonly line: (line: unknown) => unknown;
}
/** In the order of versions. Nothing older than `a2c-trace/2` was ever published, so it begins empty. */
const upcasters: readonly Upcaster[] = [];

export const isReadable = (format: string, table = upcasters): boolean =>
  format === traceFormat || table.some(({ from }) => from === format);
/** A line of an older format, head and tail included, in today's words. */
export function upcast(line: unknown, format: string, table = upcasters): unknown {
  let [value, version] = [line, format];
  for (const { from, to, line: cast } of table) if (from === version) [value, version] = [cast(value), to];
  return value;
}
