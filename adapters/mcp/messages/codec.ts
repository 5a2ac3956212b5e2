import type {
  Annotations,
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

/** Undefined when it is not of this kind. Never throws, whatever JSON is given. */
type Decode<T> = (raw: unknown) => T | undefined;

const as =
  <T>(is: (raw: unknown) => raw is T): Decode<T> =>
  (raw) =>
    is(raw) ? raw : undefined;
const text = as((raw): raw is string => typeof raw === 'string');
const key = as((raw): raw is string => typeof raw === 'string' && raw !== '');
const flag = as((raw): raw is boolean => typeof raw === 'boolean');
const number = as((raw): raw is number => typeof raw === 'number' && Number.isFinite(raw));
const object = as(isObject);
const oneOf = <Word extends string>(...words: readonly Word[]): Decode<Word> =>
  as((raw): raw is Word => words.some((word) => word === raw));

/** A list with an invalid element is refused as a whole, because a part of it would be another list. */
const listOf =
  <T>(each: Decode<T>): Decode<readonly T[]> =>
  (raw) => {
    if (!Array.isArray(raw)) return undefined;
    const read = raw.map((entry) => each(entry)).filter((one) => one !== undefined);
    return read.length === raw.length ? read : undefined;
  };

type Fields<T> = { readonly [Name in Exclude<keyof T, 'more'>]-?: Decode<Exclude<T[Name], undefined>> };

/** Unknown or invalid fields are kept in `more` and written again; refused without one of `needed`. */
const shapeOf = <T extends { readonly more?: JsonObject }>(
  { meta, ...fields }: Fields<T> & { readonly meta?: Decode<JsonObject> },
  needed: readonly (keyof Fields<T>)[],
): Decode<T> => {
  const known = new Map<string, Decode<unknown>>(Object.entries(fields));
  if (meta) known.set('_meta', meta);
  return (raw) => {
    if (!isObject(raw)) return undefined;
    const own: [string, unknown][] = [];
    const more: [string, unknown][] = [];
    for (const [wire, value] of Object.entries(raw)) {
      const read = known.get(wire)?.(value);
      if (read === undefined) more.push([wire, value]);
      else own.push([wire === '_meta' ? 'meta' : wire, read]);
    }
    // `Object.fromEntries` is used instead of assignment, because a key from the wire may be `__proto__`.
    const entry = Object.fromEntries(own);
    if (needed.some((name) => !Object.hasOwn(entry, name))) return undefined;
    return (more.length > 0 ? { ...entry, more: Object.fromEntries(more) } : entry) as T;
  };
};

/** Fields of an entry that are such shapes themselves. */
const nested: readonly string[] = ['icons', 'annotations', 'execution', 'arguments'];
/** The form of MCP, with all that was kept in `more`. */
export function encode(entry: object): object {
  const { more, meta, unusable: _, ...own } = entry as JsonObject & { readonly more?: JsonObject };
  const written = Object.entries(own).map(([name, value]) => {
    if (!nested.includes(name) || typeof value !== 'object' || value === null) return [name, value] as const;
    return [name, Array.isArray(value) ? value.map((one) => encode(one as object)) : encode(value)] as const;
  });
  const known = [...written, ['_meta', meta] as const].filter(([, value]) => value !== undefined);
  return { ...more, ...Object.fromEntries(known) };
}

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
const objectSchema: Decode<JsonObject> = (raw) => {
  const schema = object(raw);
  return schema && takesObjects(schema) ? schema : undefined;
};
const tool: Decode<Tool> = shapeOf<Omit<Tool, 'unusable'>>(
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
  <T>(decode: Decode<T>): Decode<T> =>
  (raw) =>
    frozenJson(decode(raw));

/** `place`: position in the list, counted from 1, by which a tool without a name is named. */
export function unusableTool(raw: unknown, place: number): Tool {
  const { name, inputSchema } = (object(raw) ?? {}) as { readonly [name: string]: unknown };
  const schema = object(inputSchema);
  const unusable = !isObject(raw)
    ? 'it is no object'
    : key(name) === undefined
      ? 'it has no name'
      : schema === undefined
        ? 'its inputSchema is missing, or no object'
        : takesObjects(schema)
          ? 'it is nested too deeply'
          : 'its inputSchema does not take an object';
  return Object.freeze({ name: key(name) ?? `#${place}`, inputSchema: {}, unusable });
}

/** Undefined when unusable, such as without a name or with arguments that cannot be an object. */
export const decoders: Readonly<Record<string, (raw: unknown) => object | undefined>> = {
  'tools/list': reading(tool),
  'resources/list': reading(resource),
  'resources/templates/list': reading(resourceTemplate),
  'prompts/list': reading(prompt),
};
