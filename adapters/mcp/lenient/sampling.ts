import type { CreateMessageRequest } from '@modelcontextprotocol/client';
import { isNumber, isText, kept, numberOf, said, Unreadable, type Tell } from './reading.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

const at = 'sampling/createMessage';
/** What a model may write where the server does not say how much, in tokens. */
const usualTokens = 4_096;

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const checks = {
  systemPrompt: isText,
  temperature: isNumber,
  stopSequences: isTextList,
  metadata: isObject,
  modelPreferences: isObject,
  includeContext: (value: unknown) => ['none', 'thisServer', 'allServers'].includes(String(value)),
  tools: Array.isArray,
  toolChoice: isObject,
  _meta: isObject,
} as const;

/** What a server asks a model. Throws `Unreadable` where it has no messages. */
export function readSampling(params: unknown, tell: Tell): CreateMessageRequest['params'] {
  const { messages, maxTokens, task: _, ...rest } = said(params);
  if (!Array.isArray(messages)) throw new Unreadable(`${at}: messages is missing, or no list`);
  const asked = kept(rest, checks, { at, tell });
  const read = messages.map((message: unknown) => messageOf(message, tell));
  const tokens = numberOf(maxTokens);
  if (tokens === undefined) tell(`${at}: maxTokens is missing, or no number; ${usualTokens} is taken`);
  // Only `user` and `assistant` may speak; what the system says has a place of its own.
  const systems = read.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  const system = [asked['systemPrompt'], ...systems].filter(isText).join('\n\n');
  return {
    ...asked,
    ...(system !== '' && { systemPrompt: system }),
    ...(asked['modelPreferences'] !== undefined && {
      modelPreferences: said(asked['modelPreferences']),
    }),
    messages: read.filter(({ role }) => role !== 'system'),
    maxTokens: tokens ?? usualTokens,
  } as CreateMessageRequest['params'];
}
interface Message {
  readonly role: string;
  readonly content: unknown;
}
function messageOf(message: unknown, tell: Tell): Message {
  const { role, content, ...rest } = said(isText(message) ? { content: message } : message);
  const known = role === 'assistant' || role === 'system' ? role : 'user';
  if (role !== known || known === 'system') tell(`${at}: a message has the role ${JSON.stringify(role)}`);
  const blocks = Array.isArray(content) ? content.map(blockOf) : blockOf(content);
  return { ...rest, role: known, content: blocks };
}
function blockOf(content: unknown): Fields {
  if (isText(content)) return { type: 'text', text: content };
  const block = said(content);
  return 'type' in block || !isText(block['text']) ? block : { type: 'text', ...block };
}
const textOf = (content: unknown): string =>
  (Array.isArray(content) ? content : [content])
    .map((block) => fieldsOf(block)['text'])
    .filter(isText)
    .join('\n');
