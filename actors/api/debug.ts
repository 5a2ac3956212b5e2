import type { Debug } from './handles.ts';
import type { Inspected } from './page.ts';
import type { Runtime } from './runtime.ts';

/** `shown` is what the page shows. */
export const debugOf = (runtime: Runtime, shown: () => Inspected): Debug => ({
  inspect: async (options = {}) => (await runtime.inspections()).open(shown(), options),
  writeTrace: async (dir) => runtime.writeTrace(dir ?? '.'),
  mark: (line) => runtime.flight?.mark(line),
});
