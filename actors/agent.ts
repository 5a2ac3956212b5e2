/** Public interface `a2c-actors/agent`, for opening an agent. Its code is loaded by the import, not when the first one is opened. */
import { createAgent as open } from './api/agent.ts';
import type { Agent, AgentOptions } from './api/agent-handle.ts';

/** Opens an agent, as `createAgent` of `a2c-actors` does. */
export const createAgent = (options: AgentOptions): Promise<Agent> => open(options);
export type { Agent, AgentOptions };
