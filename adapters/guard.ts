/** Makes a callback of Node, of a socket or of a timer that never throws. */
export type Guard = <Given extends readonly unknown[]>(
  run: (...given: Given) => unknown,
) => (...given: Given) => void;

/**
 * Guards the callbacks by which the world enters one instance of a port: an error that one of them throws, or rejects
 * with, ends this instance by `failed`, and never the host. An error of `failed` itself is dropped.
 */
export const guardOf =
  (failed: (why: string) => void): Guard =>
  (run) =>
  (...given) => {
    const end = (error: unknown): void => {
      try {
        failed(`its host failed on it: ${error instanceof Error ? error.message : String(error)}`);
      } catch {
        // Drops the error, because there is nothing left that could be ended.
      }
    };
    try {
      const done = run(...given);
      if (done instanceof Promise) done.catch(end);
    } catch (error) {
      end(error);
    }
  };
