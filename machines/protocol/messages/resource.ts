import { z } from 'zod';
import { answered, asked, record } from '../fields.ts';

/**
 * `client:read_resource` → `ReadResourceReply`: an extension of ours (a2c-wire §9 X23 b). The seeds let an agent read
 * `dpe://` through its computer but have no event for it; whoever does not know it acks 501 or nothing.
 */
export const readResource = z.looseObject({ ...asked, uri: z.string().min(1), server: z.string().nullish() });
export type ReadResource = z.infer<typeof readResource>;

/** The contents of MCP's `resources/read`: text or base64 per item. */
export const resourceContents = z.looseObject({
  uri: z.string(),
  mimeType: z.string().nullish(),
  text: z.string().nullish(),
  blob: z.string().nullish(),
  _meta: record.nullish(),
});
export type ResourceContents = z.infer<typeof resourceContents>;

/** The result of MCP's `resources/read`. */
export const resourceResult = z.looseObject({ contents: z.array(resourceContents) });

/**
 * The ack of `client:read_resource`: the contents as the server gave them. Several, where one URI stands for several.
 */
export const readResourceReply = z.looseObject({ contents: z.array(resourceContents), ...answered });
export type ReadResourceReply = z.infer<typeof readResourceReply>;
