import { z } from 'zod';
import { answered, asked, fresh, wholeNumber } from '../fields.ts';
import { missingPart } from './missing.ts';

/**
 * `client:get_desktop` → `GetDesktopReply` (seed 001). `desktop_size` is the most windows that are wanted, 0 or less
 * wants none; `window` is the URI of the one window that is wanted. `fresh` is ours.
 */
export const getDesktop = z.looseObject({
  ...asked,
  desktop_size: wholeNumber.nullish(),
  window: z.string().nullish(),
  fresh,
});
export type GetDesktop = z.infer<typeof getDesktop>;

/** Each window is one text: its URI, an empty line, what it shows. */
export const getDesktopReply = z.looseObject({
  desktops: z.array(z.string()),
  missing: z.array(missingPart).nullish(),
  ...answered,
});
export type GetDesktopReply = z.infer<typeof getDesktopReply>;
