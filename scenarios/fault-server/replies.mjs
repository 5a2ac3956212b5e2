import { breakOff } from './acts.mjs';
import { answerWords, lineOf } from './answers.mjs';

/** Tells so many times how far it is; the timer that does. A client that gave no token wants no progress. */
const progress = (progressToken, { everyMs, n = Infinity }, tell) => {
  if (progressToken === undefined) return undefined;
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    tell({ progressToken, progress: sent });
    if (sent >= n) clearInterval(timer);
  }, everyMs);
  return timer;
};

/** Length of the longest answer that the log has in full. */
const mostLogged = 2_000;
/** Line of the log for an answer: its size, and its text unless that is long. */
export const answered = (id, line) => ({
  sent: 'answer',
  id,
  bytes: line.length,
  ...(line.length <= mostLogged && { text: String(line) }),
});

/** Sends answers to requests. Faults decide which answers are sent, when, in what order and how often. */
export function createReplies({ triggers, output, log }) {
  /** Answers that can still be sent or cancelled, by request id. */
  const pending = new Map();
  const reordered = [];
  let flushing;
  let isSilent = false;

  const leave = ({ id, when, tool, named }, line) => {
    if (isSilent) return;
    if (named.has('frame.partialThenDie'))
      return breakOff(output, line, named.get('frame.partialThenDie').code);
    log(answered(id, line));
    for (let i = named.get('rpc.duplicate')?.n ?? 1; i > 0; i -= 1)
      output.line(line, triggers.takeFraming(when, tool), id);
  };
  const flush = () => {
    clearTimeout(flushing);
    for (const go of reordered.splice(0).reverse()) go();
  };
  const deliver = (entry) => {
    const { id, named, result } = entry;
    pending.delete(id);
    clearInterval(entry.telling);
    const go = () => leave(entry, lineOf({ id, result }, named));
    const reorder = named.get('rpc.reorder');
    if (!reorder) return go();
    if (reordered.push(go) >= reorder.n) flush();
    else if (reordered.length === 1) flushing = setTimeout(flush, reorder.ms);
  };
  const tell = (id, params) => {
    const message = { jsonrpc: '2.0', method: 'notifications/progress', params };
    if (!isSilent) output.line(JSON.stringify(message), triggers.takeFraming(), id);
  };
  return {
    /** Answers once, after `takes` ms and what progress it makes until then, or as the faults want. */
    answer: ({ id, params, when, tool }, result, { takes = 0, progressEveryMs } = {}) => {
      const faults = triggers.take(answerWords, when, tool);
      for (const { fault } of faults) log({ did: fault, id });
      const named = new Map(faults.map((fault) => [fault.fault, fault]));
      const isDeaf = named.has('rpc.cancelIgnored');
      const entry = { id, when, tool, named, result, isDeaf };
      pending.set(id, entry);
      const token = params?._meta?.progressToken;
      const progressing = named.get('rpc.progressForever') ?? named.get('rpc.progressStall');
      if (progressing) entry.timer = progress(token, progressing, (told) => tell(id, told));
      if (progressing || named.has('rpc.never') || named.has('life.initNever')) return;
      const late = (named.get('rpc.late')?.ms ?? 0) + (named.get('life.initSlow')?.ms ?? 0);
      const ms = faults.reduce((sum, { afterMs = 0 }) => sum + afterMs, takes + late);
      if (progressEveryMs !== undefined)
        entry.telling = progress(token, { everyMs: progressEveryMs }, (told) => tell(id, told));
      const wait = () => (ms > 0 ? (entry.timer = setTimeout(() => deliver(entry), ms)) : deliver(entry));
      if (named.has('rpc.answerAfterCancel')) entry.cancelled = wait;
      else wait();
    },
    cancel: (id) => {
      const entry = pending.get(id);
      if (!entry || entry.isDeaf) return;
      if (entry.cancelled) {
        entry.isDeaf = true;
        return entry.cancelled();
      }
      clearTimeout(entry.timer);
      clearInterval(entry.telling);
      pending.delete(id);
    },
    silence: () => {
      isSilent = true;
    },
  };
}
