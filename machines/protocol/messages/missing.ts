import { z } from 'zod';

/** Our extension to the answers of `client:get_desktop` and `client:get_finder`: what is not in them, and why. */
export const missingPart = z.looseObject({
  server: z.string(),
  reason: z.string(),
  uri: z.string().nullish(),
});

/** A server of which not all could be had, and why: its part of the answer is what there is. */
export interface Missing {
  /** Its name in the config of the computer; `(not named)` where a stranger says none. */
  readonly server: string;
  /** Why it is missing, in a sentence for a person. */
  readonly reason: string;
  /** The one window or document that is meant; without it the server as a whole. */
  readonly uri?: string;
}

/** What a stranger says is missing; entries that say nothing readable are passed over. */
export const readMissing = (value: unknown): readonly Missing[] =>
  Array.isArray(value)
    ? value.flatMap((entry): Missing[] => {
        const { data } = missingPart.safeParse(entry);
        if (!data) return [];
        const { server, reason, uri } = data;
        return [{ server, reason, ...(typeof uri === 'string' && { uri }) }];
      })
    : [];
