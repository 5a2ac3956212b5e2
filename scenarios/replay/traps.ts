/** A use of time or chance that no port recorded. */
export interface Trapped {
  readonly api: string;
  /** The frame that called: `jitter (…/link.parts.ts:60:54)`. */
  readonly at: string;
}
const traps: readonly (readonly [holder: object, name: string, label: string])[] = [
  [Math, 'random', 'Math.random'],
  [Date, 'now', 'Date.now'],
  [performance, 'now', 'performance.now'],
  [globalThis.crypto, 'randomUUID', 'crypto.randomUUID'],
  [globalThis, 'setTimeout', 'setTimeout'],
  [globalThis, 'setInterval', 'setInterval'],
  [globalThis, 'queueMicrotask', 'queueMicrotask'],
];
/** XState dates and names its scheduled events; neither is seen by a machine. */
const isXState = /[\\/]xstate[\\/]dist[\\/]/;

const callerOf = (stack: string | undefined): string => (stack ?? '').split('\n')[2]?.trim().slice(3) ?? '';

/** Notes every use of time and chance while `run` lasts, which is synchronous. What they answer is unchanged. */
export function withTraps<T>(note: (trapped: Trapped) => void, run: () => T): T {
  const restore = traps.map(([holder, name, api]) => {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    const original = Reflect.get(holder, name) as (...args: unknown[]) => unknown;
    const trap = function (this: unknown, ...args: unknown[]): unknown {
      const at = callerOf(new Error().stack);
      if (!isXState.test(at)) note({ api, at });
      return Reflect.apply(original, this, args);
    };
    Object.defineProperty(holder, name, { configurable: true, writable: true, value: trap });
    return () => {
      if (own) Object.defineProperty(holder, name, own);
      else Reflect.deleteProperty(holder, name);
    };
  });
  try {
    return run();
  } finally {
    for (const undo of restore) undo();
  }
}
