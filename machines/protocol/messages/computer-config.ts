import { z } from 'zod';
import { asked, record } from '../fields.ts';
import { isObject } from '../json.ts';

/** `client:get_config` → `GetConfigReply`. */
export const getConfig = z.looseObject({ ...asked });
export type GetConfig = z.infer<typeof getConfig>;

/** One server as its computer shows it: current, with its placeholders. Other computers know other types and keys. */
export const shownServer = z.looseObject({ type: z.string(), server_parameters: record.nullish() });
export type ShownServer = z.infer<typeof shownServer>;

/** A value that servers ask for as `${input:id}`; passwords come without their default. */
export const shownInput = z.looseObject({ type: z.string(), id: z.string() });
export type ShownInput = z.infer<typeof shownInput>;

const protocolTypes: ReadonlySet<unknown> = new Set(['stdio', 'sse', 'streamable']);
const labelled = (input: unknown): unknown =>
  isObject(input) && Array.isArray(input['options'])
    ? { ...input, options: input['options'].map((value: unknown) => ({ label: value, value })) }
    : input;
/**
 * The body as an office of this version lets it pass. From 0.3 on Python offices drop the whole answer for one server of a
 * type that is not the protocol's, or one choice without a label.
 */
export function configAs(version: string, config: object): object {
  const minor = Number(version.split('.')[1]);
  const { servers, inputs } = config as { readonly servers?: unknown; readonly inputs?: unknown };
  if (!(minor >= 3) || !isObject(servers)) return config;
  const kept = Object.entries(servers).filter(
    ([, server]) => isObject(server) && protocolTypes.has(server['type']),
  );
  const shown = Array.isArray(inputs) ? inputs.map(labelled) : inputs;
  return { ...config, servers: Object.fromEntries(kept), inputs: shown };
}

/** The one reply of the protocol without a `req_id` (a2c-wire §1.9). */
export const getConfigReply = z.looseObject({
  servers: z.record(z.string(), shownServer),
  inputs: z.array(shownInput).nullish(),
});
export type GetConfigReply = z.infer<typeof getConfigReply>;
