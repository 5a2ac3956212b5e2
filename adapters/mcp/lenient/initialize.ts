import type { Capabilities, ServerInfo } from '../../../machines/kernel/ports.ts';
import { isText, numberOf, said, type Tell } from './reading.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

/** The answer to `initialize`, in our words. */
export interface Initialized {
  readonly protocolVersion: string;
  readonly info: Omit<ServerInfo, 'protocolVersion'>;
}

/**
 * Reads the answer to `initialize`. A protocol version is all that has to be there, and `problem` says so; whatever else is
 * missing, null or of another shape does not keep a server from being used.
 */
export function readInitialize(result: unknown, tell: Tell): Initialized | { readonly problem: string } {
  const told: Tell = (what) => tell(`initialize: ${what}`);
  if (!isObject(result)) return { problem: 'initialize: its result is missing, or no object' };
  const { protocolVersion, serverInfo, capabilities, instructions } = said(result);
  if (protocolVersion === undefined || protocolVersion === '')
    return { problem: 'initialize: protocolVersion is missing' };
  if (!isText(protocolVersion)) return { problem: 'initialize: protocolVersion is no text' };
  const { name, version, ...shown } = said(isText(serverInfo) ? { name: serverInfo } : serverInfo);
  if (serverInfo !== undefined && !isObject(serverInfo)) told('serverInfo is no object');
  return {
    protocolVersion,
    info: {
      name: wordOf(name),
      version: wordOf(version),
      capabilities: capabilitiesOf(capabilities, told),
      ...shownOf(shown, isText(instructions) ? instructions : undefined),
    },
  };
}
/** A version may be written as a number. */
const wordOf = (value: unknown): string =>
  isText(value) || numberOf(value) !== undefined ? String(value) : '';

/** `true`, an empty list or a list in place of an object mean that it is there; null and `false`, that it is not. */
function capabilitiesOf(declared: unknown, tell: Tell): Capabilities {
  const named = Array.isArray(declared) ? declared.filter(isText).map((name) => [name, {}] as const) : [];
  const all = Array.isArray(declared) ? Object.fromEntries(named) : said(declared);
  if (declared !== undefined && !isObject(declared)) tell('capabilities is no object');
  const of = (name: string): Fields | null => {
    const one = Object.hasOwn(all, name) ? all[name] : undefined;
    if (one === undefined || one === false) return null;
    if (!isObject(one)) tell(`capabilities.${name} is no object`);
    return fieldsOf(one);
  };
  const [tools, resources, prompts] = [of('tools'), of('resources'), of('prompts')];
  const changes = (one: Fields) => ({ listChanged: one['listChanged'] === true });
  return {
    tools: tools && changes(tools),
    resources: resources && { ...changes(resources), subscribe: resources['subscribe'] === true },
    prompts: prompts && changes(prompts),
    completions: of('completions') !== null,
    logging: of('logging') !== null,
  };
}

/** An icon may be a whole picture, and instructions a book: both are kept, and recorded, with each session. */
const [mostOfIcon, mostOfText] = [8_192, 2_000];
/** How a server wants to be shown: its first icon, and its description, or else its title or its instructions. */
function shownOf(
  { title, description, icons }: Fields,
  instructions: string | undefined,
): Pick<ServerInfo, 'shown'> {
  const sources = (Array.isArray(icons) ? icons : []).map((icon) => fieldsOf(icon)['src']).filter(isText);
  const icon = sources.find((src) => src !== '' && src.length <= mostOfIcon);
  const texts = [description, title, instructions].filter(isText);
  const text = texts.find((one) => one.trim())?.slice(0, mostOfText);
  if (icon === undefined && text === undefined) return {};
  return {
    shown: { ...(icon !== undefined && { icons: icon }), ...(text !== undefined && { descriptions: text }) },
  };
}
