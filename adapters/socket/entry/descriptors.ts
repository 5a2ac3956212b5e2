import { readdirSync } from 'node:fs';

/** Number of file descriptors that are kept free for files, child processes and other connections of this process. */
const spare = 32;
interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}
/**
 * Reads the limit of open files of this process; infinite when the system does not tell it. Takes about 20 ms,
 * and the limit does not change.
 */
function limitOf(): number {
  // The types lack this property; without it, the report would look up the host names of all peers.
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as Report;
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
let limit: number | undefined;

/** Returns the number of connections that the process can still accept; over it, the system drops new ones. */
export function descriptorsLeft(): number {
  try {
    limit ??= limitOf();
    return limit - readdirSync('/dev/fd').length - Math.max(spare, Math.floor(limit / 16));
  } catch {
    return Infinity;
  }
}
