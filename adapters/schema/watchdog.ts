import { createContext, Script } from 'node:vm';

const script = new Script('run()');
let context: { run: (() => void) | undefined } | undefined;

/**
 * Works at once, for at most so many milliseconds of the clock; undefined: it was stopped, in the midst of whatever it
 * did. A thread of V8 stops it, inside a regular expression, too: whatever `work` can leave half done must be thrown
 * away with it. Costs about 0.2 ms. What `work` throws comes through.
 */
export function within<T>(ms: number, work: () => T): { readonly done: T } | undefined {
  context ??= createContext({ run: undefined }) as { run: (() => void) | undefined };
  let result: { readonly done: T } | undefined;
  context.run = () => {
    result = { done: work() };
  };
  try {
    script.runInContext(context, { timeout: ms });
    return result;
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return undefined;
    throw error;
  } finally {
    context.run = undefined;
  }
}
