export type Guard = <Given extends readonly unknown[]>(
  run: (...given: Given) => unknown,
) => (...given: Given) => void;

/** An error in a callback ends this instance by `failed`, never the host; one of `failed` itself is dropped. */
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
