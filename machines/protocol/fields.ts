import { z } from 'zod';
import { unfitName } from '../text/index.ts';

/**
 * The fields that many messages share. Readers are lax like those of the Python SDK: unknown keys pass, `"2"` is 2,
 * optional fields may be null. But what a stranger calls itself is kept, listed and repeated to others, so it has a
 * longest length, and no characters that nobody sees.
 */
const longestName = 256;
const longestReqId = 1024;

export const name = z
  .string()
  .min(1)
  .max(longestName)
  .superRefine((text, { addIssue }) => {
    const message = unfitName(text);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });
export const record = z.record(z.string(), z.unknown());
export const role = z.enum(['agent', 'computer']);

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
export const wholeNumber = z.preprocess(asNumber, z.int('expected a whole number'));
export const wholeSeconds = z.preprocess(
  asNumber,
  z.int('expected whole seconds').nonnegative('expected 0 (without limit) or more seconds'),
);

/** What every agent's request begins with. `agent` is what it calls itself; the office believes only its seat. */
export const question = { agent: z.string().max(longestName), req_id: z.string().max(longestReqId) };
/** A question to one computer of the agent's office. */
export const asked = { ...question, computer: z.string().max(longestName) };
/** Our extension: servers are asked anew, instead of an answer from what is known. Peers that do not know it ignore it. */
export const fresh = z.boolean().nullish();
/** What every reply ends with: the id of its question. */
export const answered = { req_id: z.string() };
