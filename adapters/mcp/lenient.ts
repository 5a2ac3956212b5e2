import type { JSONRPCMessage, ElicitRequest, CreateMessageRequest } from '@modelcontextprotocol/client';
import type { Envelope } from './messages/envelope.ts';
import { frozenJson } from '../../machines/catalog/tool.ts';
import type { Capabilities, ServerInfo } from '../../machines/ports/session.ts';
import { fieldsOf, type Fields, isObject } from '../../machines/protocol/json.ts';

/** A wrong shape is read as the server means it, and each guess is reported. */

export type Tell = (what: string) => void;

const said = (value: unknown): Fields =>
  Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, member]) => member !== null));
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

const byteOrderMark = 0xfeff;
/** With or without a byte order mark. Throws what `JSON.parse` throws. */
export const parsed = (text: string): unknown =>
  JSON.parse(text.codePointAt(0) === byteOrderMark ? text.slice(1) : text);

const isSaid = (value: unknown): boolean => value !== undefined && value !== null;
/** Tells whether an error is empty, as some servers write one beside each result. */
const isEmpty = (error: unknown): boolean =>
  error === '' || error === false || (typeof error === 'object' && Object.keys(error ?? {}).length === 0);
const isMethod = (value: unknown): boolean => typeof value === 'string' && value !== '';
/** Tells whether a message is an answer: it has a result, an error, or no method, whatever else is missing. */
export const isAnswer = ({ method, result, error }: Envelope): boolean =>
  isSaid(result) || isSaid(error) || !isSaid(method) || method === '';
/** Tells whether a message is a notification: it has a method and no id, or a null id with a method of notifications. */
export const isNotification = ({ id, method }: Envelope): boolean =>
  isMethod(method) && (id === undefined || (id === null && String(method).startsWith('notifications/')));

/** Returns the id of an answer; a numeric text becomes a number, because our own ids are numbers. */
export const answeredId = (id: unknown): unknown =>
  typeof id === 'string' && /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;

export function answerOf({ id, result, error }: Envelope): JSONRPCMessage {
  const isError = isSaid(error) && !(isSaid(result) && isEmpty(error));
  const members = isError ? { error } : { ...(result !== undefined && { result }) };
  return { jsonrpc: '2.0', id: answeredId(id), ...members } as JSONRPCMessage;
}

/** Optional fields of pydantic (FastMCP) are `anyOf` of one branch and null; a person simply leaves them out. */
function readField(field: unknown): Fields {
  const { anyOf, ...rest } = said(field);
  const [only, ...more] = Array.isArray(anyOf) ? anyOf.filter((branch) => !isNull(branch)) : [];
  if (only === undefined || more.length > 0) return { ...rest, ...(anyOf !== undefined && { anyOf }) };
  return { ...said(only), ...rest };
}
const isNull = (branch: unknown): boolean => fieldsOf(branch)['type'] === 'null';

function shallow(params: unknown, at: string): unknown {
  const copy = frozenJson(params);
  if (copy === undefined && params !== undefined) throw new Unreadable(`${at}: params are nested too deep`);
  return copy;
}
const elicitationPlace = 'elicitation/create';

/** Throws `Unreadable` when the question cannot be determined. */
export function readElicitation(params: unknown, tell: Tell): ElicitRequest['params'] {
  const { mode, task: _, ...rest } = said(shallow(params, elicitationPlace));
  const isUrl = mode === 'url' || (mode === undefined && isText(rest['url']) && !rest['requestedSchema']);
  if (!isUrl && mode !== undefined && mode !== 'form')
    throw new Unreadable(`${elicitationPlace}: mode is neither form nor url`);
  const asked = { ...rest, message: questionIn(rest['message'], tell) };
  return (isUrl ? urlOf(asked) : formOf(asked, tell)) as ElicitRequest['params'];
}
function questionIn(message: unknown, tell: Tell): string {
  if (isText(message)) return message;
  tell(`${elicitationPlace}: message is missing, or no text`);
  return message === undefined ? '' : JSON.stringify(message);
}
function urlOf({ url, elicitationId, ...rest }: Fields): object {
  if (!isText(url)) throw new Unreadable(`${elicitationPlace}: url is missing, or no text`);
  if (!URL.canParse(url)) throw new Unreadable(`${elicitationPlace}: url is no URL`);
  // Refuses any scheme but http and https: `javascript:` or `file:` could run or show something on the machine of the person.
  if (!/^https?:$/.test(new URL(url).protocol))
    throw new Unreadable(`${elicitationPlace}: url is neither http nor https`);
  return {
    ...rest,
    mode: 'url',
    url,
    elicitationId: wordOf(elicitationId),
  };
}
function formOf({ requestedSchema, ...rest }: Fields, tell: Tell): object {
  if (!isObject(requestedSchema)) tell(`${elicitationPlace}: requestedSchema is missing, or no object`);
  const schema = said(requestedSchema);
  if (!isObject(schema['properties'])) tell(`${elicitationPlace}: requestedSchema has no properties`);
  const properties = Object.entries(said(schema['properties'])).map(
    ([name, field]) => [name, readField(field)] as const,
  );
  const { required, ...others } = schema;
  return {
    ...rest,
    mode: 'form',
    requestedSchema: {
      ...others,
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(Array.isArray(required) && { required: required.filter(isText) }),
    },
  };
}

export function withDefaults(content: Fields, params: ElicitRequest['params']): Fields {
  if (!('requestedSchema' in params)) return content;
  const presets = Object.entries(params.requestedSchema.properties).flatMap(([name, field]) => {
    const { default: preset } = fieldsOf(field);
    return preset === undefined || content[name] !== undefined ? [] : [[name, preset] as const];
  });
  return { ...content, ...Object.fromEntries(presets) };
}

const samplingPlace = 'sampling/createMessage';

export function readSampling(params: unknown): CreateMessageRequest['params'] {
  const { messages, task: _, ...rest } = said(shallow(params, samplingPlace));
  if (!Array.isArray(messages)) throw new Unreadable(`${samplingPlace}: messages is missing, or no list`);
  return { ...rest, messages } as unknown as CreateMessageRequest['params'];
}

export interface Initialized {
  readonly protocolVersion: string;
  readonly info: Omit<ServerInfo, 'protocolVersion'>;
}

/** Only the protocol version is required; `problem` says when it is missing. */
export function readInitialize(result: unknown, tell: Tell): Initialized | { readonly problem: string } {
  const told: Tell = (what) => tell(`initialize: ${what}`);
  if (!isObject(result)) return { problem: 'initialize: its result is missing, or no object' };
  const { protocolVersion, serverInfo, capabilities, instructions } = said(result);
  if (protocolVersion === undefined || protocolVersion === '')
    return { problem: 'initialize: protocolVersion is missing' };
  if (!isText(protocolVersion)) return { problem: 'initialize: protocolVersion is no text' };
  const { name, version, ...shown } = said(serverInfo);
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
const wordOf = (value: unknown): string => (isText(value) || isNumber(value) ? String(value) : '');

/** A value that is no object counts as declared, except null and `false`. */
function capabilitiesOf(declared: unknown, tell: Tell): Capabilities {
  const all = said(declared);
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

/** In characters: both are kept and recorded with each session, and some servers send pictures or books. */
const [mostOfIcon, mostOfText] = [8_192, 2_000];
/** The first icon that is short enough; the description, or else the title or the instructions. */
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
