import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { Capabilities, ServerInfo } from '../../../machines/kernel/ports.ts';

/** What a server declared at the handshake, in our words. */
export function capabilitiesOf({
  tools,
  resources,
  prompts,
  completions,
  logging,
}: ServerCapabilities): Capabilities {
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

/** An icon may be a whole picture, and instructions a book: both are kept, and recorded, with each session. */
const [mostOfIcon, mostOfText] = [8_192, 2_000];
/** How a server wants to be shown: its first icon, and its description, or else its title or its instructions. */
export function shownOf(
  { title, description, icons }: Partial<Implementation>,
  instructions: string | undefined,
): Pick<ServerInfo, 'shown'> {
  const icon = icons?.find(({ src }) => src !== '' && src.length <= mostOfIcon)?.src;
  const text = [description, title, instructions].find((said) => said?.trim())?.slice(0, mostOfText);
  if (icon === undefined && text === undefined) return {};
  return {
    shown: { ...(icon !== undefined && { icons: icon }), ...(text !== undefined && { descriptions: text }) },
  };
}
