import { momentOf } from '../session.mjs';

const refusing = new Set(['net.httpStatus', 'net.reset', 'net.hang']);
const passing = new Set(['net.sessionGone', 'net.serverDown']);
const ofAnswers = new Set(['net.sseCut', 'net.slow']);
const netWords = new Set([...refusing, ...passing, ...ofAnswers]);

const isInstead = ({ fault, afterMs = 0 }) => refusing.has(fault) || (passing.has(fault) && afterMs === 0);

/**
 * Finds the fault that a request meets before it is read, and the fault that changes its answer. `does` executes faults that act
 * later by themselves.
 */
export function meet(message, { triggers, does, log }) {
  const tool = message.method === 'tools/call' ? message.params?.name : undefined;
  const faults = triggers.take(netWords, momentOf(message), tool);
  for (const { fault } of faults) log({ did: fault });
  for (const fault of faults)
    if (passing.has(fault.fault) && fault.afterMs > 0) setTimeout(() => does(fault), fault.afterMs);
  return { instead: faults.find(isInstead), word: faults.find(({ fault }) => ofAnswers.has(fault)) };
}
