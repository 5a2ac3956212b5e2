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

/** The only place that knows how MCP (2025-11-25) writes what a server lists; both ways, and nothing is lost. */
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
/** Arguments are an object. A schema that names no type lets objects pass, too; some servers write `{}`. */
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

/** Frozen, and shares nothing with the message; what is nested without end is no entry either. */
const reading =
  <T>(codec: Codec<T>) =>
  (raw: unknown): T | undefined =>
    frozenJson(codec.decode(raw));
const writing =
  <T>(codec: Codec<T>) =>
  (entry: T): object =>
    codec.encode(entry) as object;

/** Undefined: no tool at all, such as one without a name, or whose arguments could not be an object. */
export const decodeTool = reading(tool);
export const encodeTool = writing(tool);
export const decodeResource = reading(resource);
export const encodeResource = writing(resource);
export const decodeResourceTemplate = reading(resourceTemplate);
export const encodeResourceTemplate = writing(resourceTemplate);
export const decodePrompt = reading(prompt);
export const encodePrompt = writing(prompt);
/** The params of `notifications/message`. */
export const decodeLogEntry = reading(logEntry);

/** What a server lists among its tools and is none, with the reason. `place`: in the list, from 1. */
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

/** Methods that list → what reads one entry of their lists. */
export const decoders: Readonly<Record<string, (raw: unknown) => object | undefined>> = {
  'tools/list': decodeTool,
  'resources/list': decodeResource,
  'resources/templates/list': decodeResourceTemplate,
  'prompts/list': decodePrompt,
};
