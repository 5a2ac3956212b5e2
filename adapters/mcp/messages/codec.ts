import type {
  Annotations,
  CatalogList,
  Icon,
  JsonObject,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  Tool,
  ToolAnnotations,
  ToolExecution,
} from '../../../machines/catalog/entries.ts';
import { frozenJson } from '../../../machines/catalog/tool.ts';
import { isObject } from '../../../machines/protocol/json.ts';

interface Codec<T> {
  /** Undefined when it is not of this kind. Never throws, whatever JSON is given. */
  decode(raw: unknown): T | undefined;
  encode(value: T): unknown;
}

const as = <T>(is: (raw: unknown) => raw is T): Codec<T> => ({
  decode: (raw) => (is(raw) ? raw : undefined),
  encode: (value) => value,
});
const text = as((raw): raw is string => typeof raw === 'string');
const key = as((raw): raw is string => typeof raw === 'string' && raw !== '');
const flag = as((raw): raw is boolean => typeof raw === 'boolean');
const number = as((raw): raw is number => typeof raw === 'number' && Number.isFinite(raw));
const object = as(isObject);
const oneOf = <Word extends string>(...words: readonly Word[]): Codec<Word> =>
  as((raw): raw is Word => words.some((word) => word === raw));

/** Codec for lists; a list with an invalid element is refused as a whole, because a part of it would be another list. */
const listOf = <T>(each: Codec<T>): Codec<readonly T[]> => ({
  decode: (raw) => {
    if (!Array.isArray(raw)) return undefined;
    const read = raw.flatMap((entry) => {
      const one = each.decode(entry);
      return one === undefined ? [] : [one];
    });
    return read.length === raw.length ? read : undefined;
  },
  encode: (list) => list.map((entry) => each.encode(entry)),
});

type Fields<T> = { readonly [Name in Exclude<keyof T, 'more'>]-?: Codec<Exclude<T[Name], undefined>> };
const onWire = (name: string): string => (name === 'meta' ? '_meta' : name);

/** Unknown or invalid fields are kept in `more` and written again; refused without one of `needed`. */
const shapeOf = <T extends { readonly more?: JsonObject }>(
  fields: Fields<T>,
  needed: readonly (keyof Fields<T>)[],
): Codec<T> => {
  const known = Object.entries(fields) as [string, Codec<unknown>][];
  const byWire = new Map(known.map(([name, codec]) => [onWire(name), { name, codec }]));
  return {
    decode: (raw) => {
      if (!isObject(raw)) return undefined;
      const own: [string, unknown][] = [];
      const more: [string, unknown][] = [];
      for (const [wire, value] of Object.entries(raw)) {
        const field = byWire.get(wire);
        const read = field?.codec.decode(value);
        if (field === undefined || read === undefined) more.push([wire, value]);
        else own.push([field.name, read]);
      }
      // `Object.fromEntries` is used instead of assignment, because a key from the wire may be `__proto__`.
      const entry = Object.fromEntries(own);
      if (needed.some((name) => !Object.hasOwn(entry, name))) return undefined;
      return (more.length > 0 ? { ...entry, more: Object.fromEntries(more) } : entry) as T;
    },
    encode: (entry) => {
      const held = entry as JsonObject;
      const own = known
        .filter(([name]) => held[name] !== undefined)
        .map(([name, codec]) => [onWire(name), codec.encode(held[name])]);
      return { ...entry.more, ...Object.fromEntries(own) };
    },
  };
};

/** MCP 2025-11-25. This file alone knows that format, in both directions and without loss. */
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
/** A schema without a type does, too, because some servers write `{}`. */
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

/** Makes a frozen copy; undefined for an invalid entry or one nested too deeply. */
const reading =
  <T>(codec: Codec<T>) =>
  (raw: unknown): T | undefined =>
    frozenJson(codec.decode(raw));
const writing =
  <T>(codec: Codec<T>) =>
  (entry: T): object =>
    codec.encode(entry) as object;

/** Undefined when unusable, such as without a name or with arguments that cannot be an object. */
export const decodeTool = reading(tool);
export const encodeTool = writing(tool);
export const decodeResource = reading(resource);
export const encodeResource = writing(resource);
export const decodeResourceTemplate = reading(resourceTemplate);
export const encodeResourceTemplate = writing(resourceTemplate);
export const decodePrompt = reading(prompt);
export const encodePrompt = writing(prompt);

/** `place`: position in the list, counted from 1, by which a tool without a name is named. */
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

export const encoders: Readonly<Record<CatalogList, (entry: never) => object>> = {
  tools: encodeTool,
  resources: encodeResource,
  resourceTemplates: encodeResourceTemplate,
  prompts: encodePrompt,
};
export const decoders: Readonly<Record<string, (raw: unknown) => object | undefined>> = {
  'tools/list': decodeTool,
  'resources/list': decodeResource,
  'resources/templates/list': decodeResourceTemplate,
  'prompts/list': decodePrompt,
};
