import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Random number generator mulberry32: numbers from 0 up to, but not including, 1, the same for the same seed everywhere. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Faults of framing, which stay on after `start` or `ready` and apply to each written message. */
export const framing = new Set(['frame.slicer', 'frame.coalesce', 'frame.crlf']);

/** Creates counts in memory, which start at zero. */
export function createCounts() {
  const counts = new Map();
  return {
    of: (what) => counts.get(what) ?? 0,
    add: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
  };
}

/** Creates counts that all starts share, in a file with one line for each. */
export const createCountsIn = (file) => ({
  of: (what) =>
    (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []).filter((line) => line === what).length,
  add: (what) => appendFileSync(file, `${what}\n`),
});

/**
 * Decides which faults happen at a moment. Each moment counts towards `from`, each fault that happens towards `times`; with
 * `inAll` those of all starts do, which `shared` counts.
 */
export function createTriggers(faults, seed, shared = createCounts()) {
  const random = randomOf(seed);
  const own = createCounts();
  const isLooked = faults.some(({ after }) => after !== undefined);
  const reached = new Map();
  const happens = (fault) => {
    const { from = 1, times = Infinity, p, after } = fault;
    if (after !== undefined && shared.of(after) === 0) return false;
    const counts = fault.inAll ? shared : own;
    // Two faults of one word are told apart by their place.
    const key = `${faults.indexOf(fault)} ${fault.fault}`;
    if (counts.of(`moment ${key}`) < from - 1) {
      counts.add(`moment ${key}`);
      return false;
    }
    if (counts.of(key) >= times || (p !== undefined && random() >= p)) return false;
    counts.add(key);
    if (isLooked) shared.add(fault.fault);
    return true;
  };
  const isOn = ({ when, afterMs = 0 }) => {
    const since = when === 'start' || when === 'ready' ? reached.get(when) : undefined;
    return since !== undefined && performance.now() >= since + afterMs;
  };
  return {
    reach: (when) => reached.set(when, performance.now()),
    /**
     * Takes the faults with these names (a Set or a Map) that happen at this moment; `tool` is the one that is called.
     */
    take: (names, when, tool) =>
      faults.filter(
        (fault) =>
          names.has(fault.fault) &&
          fault.when === when &&
          (fault.tool === undefined || fault.tool === tool) &&
          happens(fault),
      ),
    /** Faults of framing that apply to a message; `when` and `tool` are those of the request that it answers, if any. */
    takeFraming: (when, tool) =>
      faults.filter(
        (fault) =>
          framing.has(fault.fault) &&
          ((fault.when === when && (fault.tool === undefined || fault.tool === tool)) || isOn(fault)) &&
          happens(fault),
      ),
  };
}
