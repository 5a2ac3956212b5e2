import { z } from 'zod';
import { answered, asked, wholeNumber } from './fields.ts';

/**
 * `client:get_desktop` → `GetDesktopReply` (seed 001). `desktop_size` is the most windows that are wanted, 0 or less
 * wants none; `window` is the URI of the one window that is wanted.
 */
export const getDesktop = z.looseObject({
  ...asked,
  desktop_size: wholeNumber.nullish(),
  window: z.string().nullish(),
});
export type GetDesktop = z.infer<typeof getDesktop>;

/** Each window is one text: its URI, an empty line, what it shows. */
export const getDesktopReply = z.looseObject({ desktops: z.array(z.string()), ...answered });
export type GetDesktopReply = z.infer<typeof getDesktopReply>;
