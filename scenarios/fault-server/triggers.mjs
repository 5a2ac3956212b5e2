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

/** Decides which faults happen at a moment. Each moment counts towards `from`, each fault that happens towards `times`. */
export function createTriggers(faults, seed) {
  const random = randomOf(seed);
  const left = new Map(faults.map((fault) => [fault, fault.times ?? Infinity]));
  const early = new Map(faults.map((fault) => [fault, (fault.from ?? 1) - 1]));
  const reached = new Map();
  const happens = (fault) => {
    if (early.get(fault) > 0) {
      early.set(fault, early.get(fault) - 1);
      return false;
    }
    if (left.get(fault) <= 0 || (fault.p !== undefined && random() >= fault.p)) return false;
    left.set(fault, left.get(fault) - 1);
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
