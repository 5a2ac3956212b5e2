/** A use of time or chance that no port recorded. */
export interface Trapped {
  readonly api: string;
  /** The frame that called: `jitter (…/link.parts.ts:60:54)`. */
  readonly at: string;
}
type Callable = (...args: unknown[]) => unknown;
const traps: readonly (readonly [holder: object, name: string, label: string])[] = [
  [Math, 'random', 'Math.random()'],
  [Date, 'now', 'Date.now()'],
  [globalThis, 'Date', 'new Date()'],
  [performance, 'now', 'performance.now()'],
  [process, 'hrtime', 'process.hrtime()'],
  [globalThis.crypto, 'randomUUID', 'crypto.randomUUID()'],
  [globalThis.crypto, 'getRandomValues', 'crypto.getRandomValues()'],
  [globalThis, 'setTimeout', 'setTimeout()'],
  [globalThis, 'setInterval', 'setInterval()'],
  [globalThis, 'setImmediate', 'setImmediate()'],
  [globalThis, 'queueMicrotask', 'queueMicrotask()'],
];
/** XState dates and names its scheduled events; neither is seen by a machine. */
const isXState = /[\\/]xstate[\\/]dist[\\/]/;

/** The frame that called whom the trap stands before: below `Error` come the look, the trap, and then it. */
const callerOf = (stack: string | undefined): string => (stack ?? '').split('\n')[3]?.trim().slice(3) ?? '';

/** Stands before one of them. A date that is told which one it is needs no clock. */
function trapped(original: Callable, api: string, note: (trapped: Trapped) => void): Callable {
  const look = (): void => {
    // XState asks at every timer: a long stack would cost more than the replay.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 3;
    const at = callerOf(new Error().stack);
    Error.stackTraceLimit = stackTraceLimit;
    if (!isXState.test(at)) note({ api, at });
  };
  return new Proxy(original, {
    apply(target, self: unknown, args) {
      look();
      return Reflect.apply(target, self, args);
    },
    construct(target, args, as) {
      if (args.length === 0) look();
      return Reflect.construct(target, args, as) as object;
    },
  });
}

/** Notes every use of time and chance while `run` lasts, which is synchronous. What they answer is unchanged. */
export function withTraps<T>(note: (trapped: Trapped) => void, run: () => T): T {
  const restore = traps.map(([holder, name, api]) => {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    const value = trapped(Reflect.get(holder, name) as Callable, api, note);
    Object.defineProperty(holder, name, { configurable: true, writable: true, value });
    return () => {
      if (own) Object.defineProperty(holder, name, own);
      else Reflect.deleteProperty(holder, name);
    };
  });
  try {
    return run();
  } finally {
    for (const undo of restore.toReversed()) undo();
  }
}
