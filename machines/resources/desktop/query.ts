import type { GetDesktop } from '../../protocol/messages/collections.ts';

/** What an agent wants to see of a desktop. */
export interface DesktopQuery {
  /** The most windows; null: all. */
  readonly size: number | null;
  /** The one window that is wanted, by its URI exactly as listed; null: any. */
  readonly window: string | null;
  /** Servers are asked anew. */
  readonly fresh?: boolean;
}

/** As `client:get_desktop` has it. */
export const desktopQueryOf = ({ desktop_size: size, window, fresh }: GetDesktop): DesktopQuery => ({
  size: size ?? null,
  window: window ?? null,
  ...(fresh === true && { fresh: true }),
});

/** The fields of the question; what is not wanted is not sent. */
export const desktopQuestion = ({ size = null, window = null, fresh = false }: Partial<DesktopQuery>) => ({
  ...(size !== null && { desktop_size: size }),
  ...(window !== null && { window }),
  ...(fresh && { fresh }),
});
