import type { ElicitRequest } from '@modelcontextprotocol/client';
import { readField } from './form-fields.ts';
import { isNumber, isText, said, Unreadable, type Tell } from './reading.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

const at = 'elicitation/create';

/** What a server asks a person. Throws `Unreadable` where nobody could say what is asked for. */
export function readElicitation(params: unknown, tell: Tell): ElicitRequest['params'] {
  const { mode, task: _, ...rest } = said(params);
  const isUrl = mode === 'url' || (mode === undefined && isText(rest['url']) && !rest['requestedSchema']);
  if (!isUrl && mode !== undefined && mode !== 'form')
    throw new Unreadable(`${at}: mode is neither form nor url`);
  const asked = { ...rest, message: messageOf(rest['message'], tell) };
  return (isUrl ? urlOf(asked) : formOf(asked, tell)) as ElicitRequest['params'];
}
function messageOf(message: unknown, tell: Tell): string {
  if (isText(message)) return message;
  tell(`${at}: message is missing, or no text`);
  return message === undefined ? '' : JSON.stringify(message);
}
function urlOf({ url, elicitationId, ...rest }: Fields): object {
  if (!isText(url)) throw new Unreadable(`${at}: url is missing, or no text`);
  if (!URL.canParse(url)) throw new Unreadable(`${at}: url is no URL`);
  // Any other scheme, such as `javascript:` or `file:`, would run or show something of the machine of the person.
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Unreadable(`${at}: url is neither http nor https`);
  return {
    ...rest,
    mode: 'url',
    url,
    elicitationId: isText(elicitationId) || isNumber(elicitationId) ? String(elicitationId) : '',
  };
}
function formOf({ requestedSchema, ...rest }: Fields, tell: Tell): object {
  if (!isObject(requestedSchema)) tell(`${at}: requestedSchema is missing, or no object`);
  const schema = said(requestedSchema);
  if (!isObject(schema['properties'])) tell(`${at}: requestedSchema has no properties`);
  const properties = Object.entries(said(schema['properties'])).map(
    ([name, field]) => [name, readField(name, field, { schema, tell })] as const,
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

/** What a person left out is the default of the schema (SEP-1034). */
export function withDefaults(content: Fields, params: ElicitRequest['params']): Fields {
  if (!('requestedSchema' in params)) return content;
  const presets = Object.entries(params.requestedSchema.properties).flatMap(([name, field]) => {
    const { default: preset } = fieldsOf(field);
    return preset === undefined || content[name] !== undefined ? [] : [[name, preset] as const];
  });
  return { ...content, ...Object.fromEntries(presets) };
}
