import type { ServerCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { Offers } from '../../machines/ports.ts';

/** What a server declared at the handshake, in our words. */
export function offersOf({ tools, resources, prompts, completions, logging }: ServerCapabilities): Offers {
  const changes = (declared: { listChanged?: boolean | undefined }) => ({
    listChanged: declared.listChanged === true,
  });
  return {
    tools: tools ? changes(tools) : null,
    resources: resources ? { ...changes(resources), subscribe: resources.subscribe === true } : null,
    prompts: prompts ? changes(prompts) : null,
    completions: completions !== undefined,
    logging: logging !== undefined,
  };
}
