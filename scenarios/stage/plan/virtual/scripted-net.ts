import { wireCodes, type Failure } from '../../../../machines/protocol/failure.ts';
import type { Fault, Moment } from '../../../fault-server/words/fault.ts';
import { brokenOff, gone, retryMs } from '../../scripted/network/remote.ts';
import type { Met, Passing, Refusal } from '../../scripted/script.ts';

/**
 * Tells whether a fault word is about the network of a server behind a URL: requests before they are read, and
 * answers on the way.
 */
export const isNetWord = (word: string): boolean => word.startsWith('net.');

const num = (fault: Fault, name: string): number => Number(fault[name] ?? 0);

/**
 * Returns the refusal that the HTTP transport makes of a status. After a gateway error it is unknown whether the
 * server did anything.
 */
function refusalOf(status: number, hasSession: boolean, retryAfter: number): Refusal {
  const answered = (code: Failure['code'], message: string): Refusal => ({
    refuses: {
      code,
      message: `${message}: not today`,
      details: { http_status: status, ...(retryAfter > 0 && { retry_after: retryAfter }) },
    },
    how: status === 502 ? 'lost' : 'answered',
  });
  if (status === 401)
    return {
      refuses: { code: 'Unauthorized', message: 'the server wants a login (HTTP 401)' },
      how: 'unsent',
      ends: { wantsLogin: true },
    };
  if (status === 403)
    return {
      refuses: { code: 'AccessDenied', message: 'the server refuses this login (HTTP 403)' },
      how: 'unsent',
    };
  if (status === 404 && hasSession) return gone;
  if (status === 429) return answered(wireCodes.tooMany, 'the server gets too many requests (HTTP 429)');
  return answered(wireCodes.toolFailed, `the server answered HTTP ${status}`);
}

function passingOf(fault: Fault, areFaultsCleared: () => boolean): Passing | undefined {
  if (fault.fault === 'net.sessionGone') return { forgets: true };
  if (fault.fault !== 'net.serverDown') return undefined;
  return { downMs: num(fault, 'ms'), forgetsAll: fault['forgets'] === true, areFaultsCleared };
}
function insteadOf(
  fault: Fault,
  when: Moment,
  areFaultsCleared: () => boolean,
): NonNullable<Met['instead']> | undefined {
  const { afterMs = 0 } = fault;
  const passing = passingOf(fault, areFaultsCleared);
  if (passing) return afterMs === 0 ? { afterMs, ...passing } : undefined;
  if (fault.fault === 'net.httpStatus')
    return { afterMs, ...refusalOf(num(fault, 'status'), when !== 'initialize', num(fault, 'retryAfter')) };
  if (fault.fault === 'net.reset') return { afterMs, refuses: brokenOff, how: 'lost' };
  return fault.fault === 'net.hang' ? { afterMs, never: true } : undefined;
}
function answerOf(fault: Fault): NonNullable<Met['answer']> | undefined {
  if (fault.fault === 'net.slow') return { lateMs: num(fault, 'ms') };
  if (fault.fault !== 'net.sseCut') return undefined;
  // A client that reconnects with the last event id receives the rest.
  return fault['resumes'] === true ? { lateMs: retryMs } : { broken: brokenOff };
}
const first = <T>(faults: readonly Fault[], read: (fault: Fault) => T | undefined): T | undefined => {
  for (const fault of faults) {
    const found = read(fault);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Combines the faults of this moment into one effect on the request: the first possible fault of each kind counts.
 */
export function metOf(faults: readonly Fault[], when: Moment, areFaultsCleared: () => boolean): Met {
  const instead = first(faults, (fault) => insteadOf(fault, when, areFaultsCleared));
  const answer = first(faults, answerOf);
  const later = faults.flatMap((fault) => {
    const { afterMs = 0 } = fault;
    const passing = afterMs > 0 ? passingOf(fault, areFaultsCleared) : undefined;
    return passing ? [{ afterMs, ...passing }] : [];
  });
  return { ...(instead && { instead }), ...(answer && { answer }), later };
}
