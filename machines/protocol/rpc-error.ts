import { excessBytes, mostLevels } from './size.ts';

/** Bytes of JSON that the data of a JSON-RPC error may have: it travels on with every failure that it explains. */
export const errorDataBytes = 4096;

/**
 * What a failure keeps of the JSON-RPC error of an MCP server: `code` and `data`. Data that is too large is dropped, and
 * `data_dropped` says so in a sentence; `null` is none.
 */
export function rpcErrorDetails({
  code,
  data,
}: {
  readonly code: number;
  readonly data?: unknown;
}): Readonly<Record<string, unknown>> {
  if (data === undefined || data === null) return { code };
  const bytes = excessBytes(data, errorDataBytes);
  if (bytes === undefined) return { code, data };
  return {
    code,
    data_dropped:
      bytes === Infinity
        ? `it is nested too deep, the limit is ${mostLevels} levels`
        : `it has ${bytes} bytes, the limit is ${errorDataBytes}`,
  };
}
