import { linksPart, type LinksPart } from './links-part.ts';
import type { Runtime } from './runtime.ts';
import { agentKinds } from '../kinds/agent.ts';
import type { Part } from '../runtime/part.ts';

/** An agent, over the part of its seat. */
export const agentPart = (runtime: Runtime): Part & { readonly links: LinksPart } => ({
  kinds: agentKinds,
  links: runtime.use(linksPart),
});
