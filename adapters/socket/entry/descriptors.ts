import { readdirSync } from 'node:fs';

/** Kept free for files, children, and other connections of this process. */
const spare = 32;
interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}
/** What the system lets this process open, where it says so. It takes some 20 ms, and does not change. */
function limitOf(): number {
  // A method that the types lack: a report would ask for the names of all peers.
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as Report;
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
let limit: number | undefined;

/** Number of connections that may still be taken. Over that the system drops new ones. */
export function descriptorsLeft(): number {
  try {
    limit ??= limitOf();
    return limit - readdirSync('/dev/fd').length - Math.max(spare, Math.floor(limit / 16));
  } catch {
    return Infinity;
  }
}
