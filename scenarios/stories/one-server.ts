import type { Scene, ServerRef } from '../stage/plan/index.ts';
import type { ServerData } from '../stage/plan/plan.ts';

/** The server `fs`, once it is ready or at rest. */
export function ready(s: Scene, options: Omit<ServerData, 'name'>): ServerRef {
  const fs = s.server('fs', options);
  s.ready();
  return fs;
}
