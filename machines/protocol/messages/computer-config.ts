import { z } from 'zod';
import { asked, record } from '../fields.ts';

/** `client:get_config` → `GetConfigReply`. */
export const getConfig = z.looseObject({ ...asked });
export type GetConfig = z.infer<typeof getConfig>;

/** One server as its computer shows it: current, with its placeholders. Other computers know other types and keys. */
export const shownServer = z.looseObject({ type: z.string(), server_parameters: record.nullish() });
export type ShownServer = z.infer<typeof shownServer>;

/** A value that servers ask for as `${input:id}`; passwords come without their default. */
export const shownInput = z.looseObject({ type: z.string(), id: z.string() });
export type ShownInput = z.infer<typeof shownInput>;

/** The one reply of the protocol without a `req_id` (a2c-wire §1.9). */
export const getConfigReply = z.looseObject({
  servers: z.record(z.string(), shownServer),
  inputs: z.array(shownInput).nullish(),
});
export type GetConfigReply = z.infer<typeof getConfigReply>;
