import { createResourceChanges, createResources } from './own-resources.mjs';
import { createChanges, createTools } from './own-tools.mjs';

/**
 * Tools and resources of one process or session, and the words that change them. `say`, `update`: how a change is
 * told.
 */
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
