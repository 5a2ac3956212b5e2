import type { Fault } from '../../../fault-server/words/fault.ts';
import type { Met, Passing } from '../../scripted/script.ts';

/** Requests before they are read, and answers on the way, of a server behind a URL. */
export const isNetWord = (word: string): boolean => word.startsWith('net.');

const num = (fault: Fault, name: string): number => Number(fault[name] ?? 0);

function passingOf(fault: Fault, areFaultsCleared: () => boolean): Passing | undefined {
  if (fault.fault === 'net.sessionGone') return { forgets: true };
  if (fault.fault !== 'net.serverDown') return undefined;
  return { downMs: num(fault, 'ms'), forgetsAll: fault['forgets'] === true, areFaultsCleared };
}
function insteadOf(fault: Fault, areFaultsCleared: () => boolean): NonNullable<Met['instead']> | undefined {
  const { afterMs = 0 } = fault;
  const passing = passingOf(fault, areFaultsCleared);
  if (passing) return afterMs === 0 ? { afterMs, ...passing } : undefined;
  if (fault.fault === 'net.httpStatus')
    return { afterMs, status: num(fault, 'status'), retryAfter: num(fault, 'retryAfter') };
  if (fault.fault === 'net.reset') return { afterMs, resets: true };
  return fault.fault === 'net.hang' ? { afterMs, never: true } : undefined;
}
function answerOf(fault: Fault): NonNullable<Met['answer']> | undefined {
  if (fault.fault === 'net.slow') return { lateMs: num(fault, 'ms') };
  if (fault.fault !== 'net.sseCut') return undefined;
  return { broken: fault['resumes'] === true ? 'resumes' : 'lost' };
}
const first = <T>(faults: readonly Fault[], read: (fault: Fault) => T | undefined): T | undefined => {
  for (const fault of faults) {
    const found = read(fault);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The first possible fault of each kind counts. */
export function metOf(faults: readonly Fault[], areFaultsCleared: () => boolean): Met {
  const instead = first(faults, (fault) => insteadOf(fault, areFaultsCleared));
  const answer = first(faults, answerOf);
  const later = faults.flatMap((fault) => {
    const { afterMs = 0 } = fault;
    const passing = afterMs > 0 ? passingOf(fault, areFaultsCleared) : undefined;
    return passing ? [{ afterMs, ...passing }] : [];
  });
  return { ...(instead && { instead }), ...(answer && { answer }), later };
}
