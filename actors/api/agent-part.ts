import { linksPart, type LinksPart } from './links-part.ts';
import type { Runtime } from './runtime.ts';
import { agentKinds } from '../kinds/agent.ts';
import type { Part } from '../runtime/part.ts';

/** An agent, over the part of its seat. */
export class AgentPart implements Part {
  readonly kinds = agentKinds;
  readonly links: LinksPart;

  constructor(runtime: Runtime) {
    this.links = runtime.use(linksPart);
  }
}
export const agentPart = (runtime: Runtime): AgentPart => new AgentPart(runtime);
