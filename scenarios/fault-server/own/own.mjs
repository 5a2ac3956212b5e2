import { createResourceChanges, createResources } from './own-resources.mjs';
import { createChanges, createTools } from './own-tools.mjs';

/** What one process or session has, and how its words change that. `say`, `update`: how it tells of a change. */
export function createOwn({ name, tools, resources }, { say, update, isOver }) {
  const own = { tools: createTools(name, tools), resources: createResources(name, resources) };
  const hands = {
    say,
    isOver,
    update: (uri, written = uri) => update(written),
    after: (ms, go) => setTimeout(() => go(), ms),
  };
  return {
    ...own,
    changes: new Map([
      ...createChanges({ ...hands, ...own }),
      ...createResourceChanges({ ...hands, ...own }),
    ]),
  };
}
