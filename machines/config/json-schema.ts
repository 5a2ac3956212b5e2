import { z } from 'zod';
import { durationSchema, keepAliveSchema, serverSchemas, settingsSchema, inputSchemas } from './schemas.ts';
import { foreignKeys, type ForeignKey } from './foreign.ts';

const text = z.string();
const named = { name: text };
const typed = {
  stdio: z.literal('stdio'),
  sse: z.literal('sse'),
  streamable: z.enum(['streamable', 'http', 'streamable-http', 'streamableHttp']),
  inmemory: z.literal('inmemory'),
  own: z.string().regex(/^own:[\w.-]+$/),
} as const;
const kinds = Object.keys(typed) as (keyof typeof typed)[];
/** `name`: schema of the name, which is optional in a map because the key is the name. */
const servers = (name: object) =>
  z.union(kinds.map((kind) => serverSchemas[kind].extend({ type: typed[kind], ...name })));

const parameters: Readonly<Record<string, z.ZodType>> = {
  ...serverSchemas.streamable.shape.server_parameters.shape,
  ...serverSchemas.stdio.shape.server_parameters.shape,
};
const base: Readonly<Record<string, z.ZodType>> = serverSchemas.streamable.shape;
const scalar = z.union([text, z.number(), z.boolean()]);
/** Other clients pass numbers and booleans as text. */
const asTexts: Readonly<Record<string, z.ZodType>> = {
  args: z.array(scalar).nullish(),
  env: z.record(text, scalar).nullish(),
};
function foreignValue({ key, does, to }: ForeignKey): z.ZodType {
  if (key === 'name' || key === 'type') return text.nullish();
  if (does === 'opposite') return z.boolean().nullish();
  if (does === 'approve' || does === 'allow') return z.array(text).nullish();
  if (key === 'command') return z.union([text, z.array(text)]).nullish();
  if (key === 'requestInit') return z.looseObject({ headers: z.record(text, text).nullish() }).nullish();
  if (does === 'login')
    return z.union([base['oauth'] ?? z.unknown(), z.record(text, z.unknown()), z.boolean()]);
  if (does !== 'same' || to === undefined) return z.unknown();
  const [top = '', inner] = to.map(String);
  const value = inner === undefined ? base[top] : (asTexts[inner] ?? parameters[inner]);
  // An empty text counts as an absent value.
  return z.union([value ?? z.unknown(), z.literal(''), z.null()]);
}
const foreign = z.looseObject({
  ...Object.fromEntries(foreignKeys.map((row) => [row.key, foreignValue(row).optional()])),
  // Such entries have the shape of the protocol and are validated by that schema.
  server_parameters: z.never().optional(),
});

const listed = z.array(z.union([servers(named), foreign.extend(named)]));
const mapped = z.record(text, z.union([servers({ name: text.nullish() }), foreign]));
const around = {
  $schema: text.optional(),
  inputs: z.array(z.union(Object.values(inputSchemas))).nullish(),
  a2c: settingsSchema.nullish(),
};
const file = z.union([
  z.looseObject({ mcpServers: mapped, mcpEnabled: z.boolean().optional(), ...around }),
  z.looseObject({ servers: z.union([listed, mapped]), ...around }),
  listed,
  servers(named),
  foreign.extend({ ...named, command: text }),
]);

/** Draft 7, which most editors support; a schema cannot detect two servers with one name. */
export const configSchema = (): object =>
  z.toJSONSchema(file, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === durationSchema) jsonSchema.type = ['number', 'string'] as never;
      if ((zodSchema as unknown) === keepAliveSchema)
        jsonSchema.type = ['boolean', 'number', 'string'] as never;
    },
  });
