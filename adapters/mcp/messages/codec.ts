import { frozenJson } from '../../../machines/catalog/tool.ts';
import type {
  Annotations,
  Icon,
  JsonObject,
  LogEntry,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  Tool,
  ToolAnnotations,
  ToolExecution,
} from '../../../machines/catalog/entries.ts';
import { anything, flag, key, listOf, number, object, oneOf, shapeOf, text, type Codec } from './shape.ts';
import { isObject } from '../../../machines/protocol/json.ts';

/**
 * Codecs for the entries that servers list, as MCP (2025-11-25) writes them; this file alone knows that
 * format, in both directions and without loss.
 */
const icon = shapeOf<Icon>(
  { src: text, mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') },
  ['src'],
);
const described = { title: text, description: text, icons: listOf(icon), meta: object };
const annotations = shapeOf<Annotations>(
  { audience: listOf(text), priority: number, lastModified: text },
  [],
);

const isObjectWord = (word: unknown): boolean => typeof word === 'string' && word.toLowerCase() === 'object';
/**
 * Tells whether a schema allows an object, as arguments of a tool are; a schema without a type does, too,
 * since some servers write `{}`.
 */
const takesObjects = ({ type }: JsonObject): boolean =>
  type === undefined || (Array.isArray(type) ? type.some(isObjectWord) : isObjectWord(type));
const objectSchema: Codec<JsonObject> = {
  decode: (raw) => {
    const schema = object.decode(raw);
    return schema && takesObjects(schema) ? schema : undefined;
  },
  encode: (schema) => schema,
};
const tool: Codec<Tool> = shapeOf<Omit<Tool, 'unusable'>>(
  {
    name: key,
    ...described,
    inputSchema: objectSchema,
    outputSchema: object,
    annotations: shapeOf<ToolAnnotations>(
      { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
      [],
    ),
    execution: shapeOf<ToolExecution>({ taskSupport: oneOf('required', 'optional', 'forbidden') }, []),
  },
  ['name', 'inputSchema'],
);
const resource = shapeOf<Resource>(
  { uri: key, name: text, ...described, mimeType: text, size: number, annotations },
  ['uri', 'name'],
);
const resourceTemplate = shapeOf<ResourceTemplate>(
  { uriTemplate: key, name: text, ...described, mimeType: text, annotations },
  ['uriTemplate', 'name'],
);
const prompt = shapeOf<Prompt>(
  {
    name: key,
    ...described,
    arguments: listOf(
      shapeOf<PromptArgument>({ name: text, title: text, description: text, required: flag }, ['name']),
    ),
  },
  ['name'],
);
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
const logEntry = shapeOf<LogEntry>({ level: oneOf(...levels), logger: text, data: anything }, [
  'level',
  'data',
]);

/** Returns a function that reads entries as frozen copies; undefined also for an entry that is nested too deeply. */
const reading =
  <T>(codec: Codec<T>) =>
  (raw: unknown): T | undefined =>
    frozenJson(codec.decode(raw));
const writing =
  <T>(codec: Codec<T>) =>
  (entry: T): object =>
    codec.encode(entry) as object;

/**
 * Reads one tool of a list; undefined when it is unusable, for example without a name or with arguments that
 * cannot be an object.
 */
export const decodeTool = reading(tool);
export const encodeTool = writing(tool);
export const decodeResource = reading(resource);
export const encodeResource = writing(resource);
export const decodeResourceTemplate = reading(resourceTemplate);
export const encodeResourceTemplate = writing(resourceTemplate);
export const decodePrompt = reading(prompt);
export const encodePrompt = writing(prompt);
/** Reads the params of `notifications/message`. */
export const decodeLogEntry = reading(logEntry);

/**
 * Returns a listed tool that cannot be used, with the reason. `place`: position in the list, counted from 1,
 * used as its name when it has none.
 */
export function unusableTool(raw: unknown, place: number): Tool {
  const { name, inputSchema } = (object.decode(raw) ?? {}) as { readonly [name: string]: unknown };
  const schema = object.decode(inputSchema);
  const unusable = !isObject(raw)
    ? 'it is no object'
    : key.decode(name) === undefined
      ? 'it has no name'
      : schema === undefined
        ? 'its inputSchema is missing, or no object'
        : takesObjects(schema)
          ? 'it is nested too deeply'
          : 'its inputSchema does not take an object';
  return Object.freeze({ name: key.decode(name) ?? `#${place}`, inputSchema: {}, unusable });
}

/** Readers of one list entry, by the method that returns the list. */
export const decoders: Readonly<Record<string, (raw: unknown) => object | undefined>> = {
  'tools/list': decodeTool,
  'resources/list': decodeResource,
  'resources/templates/list': decodeResourceTemplate,
  'prompts/list': decodePrompt,
};
