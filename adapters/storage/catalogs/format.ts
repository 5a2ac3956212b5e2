import { z } from 'zod';
import type { JsonObject, Lists } from '../../../machines/catalog/index.ts';
import { isObject } from '../../../machines/protocol/json.ts';

/** Not `z.record`: a schema of a stranger may have any keys, and is given back as it is. */
const object = z.custom<JsonObject>((value) => isObject(value), 'expected an object');
const text = z.string();
const more = object.optional();
const icon = z.strictObject({
  src: text,
  mimeType: text.optional(),
  sizes: z.array(text).optional(),
  theme: z.enum(['light', 'dark']).optional(),
  more,
});
const described = {
  title: text.optional(),
  description: text.optional(),
  icons: z.array(icon).optional(),
  meta: object.optional(),
  more,
};
const flag = z.boolean().optional();
const tool = z.strictObject({
  name: text.min(1),
  ...described,
  inputSchema: object,
  outputSchema: object.optional(),
  annotations: z
    .strictObject({
      title: text.optional(),
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
      more,
    })
    .optional(),
  execution: z
    .strictObject({ taskSupport: z.enum(['required', 'optional', 'forbidden']).optional(), more })
    .optional(),
  unusable: text.optional(),
});
const content = {
  name: text,
  ...described,
  mimeType: text.optional(),
  annotations: z
    .strictObject({
      audience: z.array(text).optional(),
      priority: z.number().optional(),
      lastModified: text.optional(),
      more,
    })
    .optional(),
};
const resource = z.strictObject({ uri: text.min(1), ...content, size: z.number().optional() });
const resourceTemplate = z.strictObject({ uriTemplate: text.min(1), ...content });
const argument = z.strictObject({
  name: text,
  title: text.optional(),
  description: text.optional(),
  required: flag,
  more,
});
const prompt = z.strictObject({
  name: text.min(1),
  ...described,
  arguments: z.array(argument).optional(),
});

export const format = 'a2c-catalog/1';
const schema = z.strictObject({
  format: z.literal(format),
  savedAt: z.iso.datetime(),
  lists: z.strictObject({
    tools: z.array(tool).optional(),
    resources: z.array(resource).optional(),
    resourceTemplates: z.array(resourceTemplate).optional(),
    prompts: z.array(prompt).optional(),
  }),
});

/** The last good catalog of a server. */
export interface CachedCatalog {
  /** ISO 8601. */
  readonly savedAt: string;
  readonly lists: Lists;
}

export const textOfCatalog = ({ savedAt, lists }: CachedCatalog): string =>
  `${JSON.stringify({ format, savedAt, lists })}\n`;

/** Undefined: not what we write. Given back as it stands, for a schema may drop what it does not know. */
export function readCatalog(written: string): CachedCatalog | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return schema.safeParse(value).success ? (value as CachedCatalog) : undefined;
  } catch {
    return undefined;
  }
}
