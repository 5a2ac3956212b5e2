import { inspectOptions } from './checks/host.ts';
import type { Debug } from './handles.ts';
import type { Inspected } from './page.ts';
import type { Runtime } from './runtime.ts';
import { argument, mustBeOptions, name, optional, text } from '../kernel/options.ts';

/** `shown` is what the page shows. */
export const debugOf = (runtime: Runtime, shown: () => Inspected): Debug => ({
  inspect: async (options = {}) => {
    mustBeOptions('debug.inspect', options, inspectOptions);
    return (await runtime.inspections()).open(shown(), options);
  },
  writeTrace: async (dir) => {
    mustBeOptions('debug.writeTrace', dir, argument('dir', optional(name)));
    return runtime.writeTrace(dir ?? '.');
  },
  mark: (line) => {
    mustBeOptions('debug.mark', line, argument('text', text));
    runtime.flight?.mark(line);
  },
});
