/** Public interface `a2c-actors/agent`: an agent, whose code is loaded with the import and not with the first handle. */
import { createAgent as open } from './api/agent.ts';
import type { Agent, AgentOptions } from './api/agent-handle.ts';

/** Opens an agent, as `createAgent` of `a2c-actors` does. */
export const createAgent = (options: AgentOptions): Promise<Agent> => open(options);
export type { Agent, AgentOptions };
