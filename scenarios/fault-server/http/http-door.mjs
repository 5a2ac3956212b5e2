import { moments } from '../session.mjs';

const refusing = new Set(['net.httpStatus', 'net.reset', 'net.hang']);
const passing = new Set(['net.sessionGone', 'net.serverDown']);
const ofAnswers = new Set(['net.sseCut', 'net.slow']);
const netWords = new Set([...refusing, ...passing, ...ofAnswers]);

const isInstead = ({ fault, afterMs = 0 }) => refusing.has(fault) || (passing.has(fault) && afterMs === 0);

/**
 * Finds the fault that a request meets before it is read, and the fault that changes its answer. `does` executes faults that act
 * later by themselves.
 */
export function meet({ method, params }, { triggers, does, log }) {
  // A list is one moment, however many pages it has.
  const isPage = method === 'tools/list' && params?.cursor !== undefined;
  const when = !isPage && Object.hasOwn(moments, method) ? moments[method] : undefined;
  const faults = triggers.take(netWords, when, method === 'tools/call' ? params?.name : undefined);
  for (const { fault } of faults) log({ did: fault });
  for (const fault of faults)
    if (passing.has(fault.fault) && fault.afterMs > 0) setTimeout(() => does(fault), fault.afterMs);
  return { instead: faults.find(isInstead), word: faults.find(({ fault }) => ofAnswers.has(fault)) };
}
