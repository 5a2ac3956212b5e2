import type { GetDesktop } from '../wire/desktop.ts';

/** What an agent wants to see of a desktop. */
export interface DesktopQuery {
  /** The most windows; null: all. */
  readonly size: number | null;
  /** The one window that is wanted, by its URI exactly as listed; null: any. */
  readonly window: string | null;
}

/** As `client:get_desktop` has it. */
export const desktopQueryOf = ({ desktop_size: size, window }: GetDesktop): DesktopQuery => ({
  size: size ?? null,
  window: window ?? null,
});

/** The fields of the question; what is not wanted is not sent. */
export const desktopQuestion = ({ size = null, window = null }: Partial<DesktopQuery>) => ({
  ...(size !== null && { desktop_size: size }),
  ...(window !== null && { window }),
});
