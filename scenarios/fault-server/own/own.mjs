import { createResourceChanges, createResources } from './own-resources.mjs';
import { createChanges, createTools } from './own-tools.mjs';

/** Tools and resources of one process or session, with the faults that change them. `say` and `update` announce changes. */
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
