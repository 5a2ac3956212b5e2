import { z } from 'zod';
import type { SeatFacts } from '../../kernel/ports.ts';

const texts = z.array(z.string().min(1).max(200)).min(1).max(1_000);
/** What a credential lets its holder do. A list that is left out allows all. */
export const grantFields = {
  offices: texts.optional(),
  roles: z
    .array(z.enum(['agent', 'computer']))
    .min(1)
    .optional(),
  names: texts.optional(),
};
export const grantSchema = z.strictObject({
  ...grantFields,
  expiresAt: z.number().finite().optional(),
  subject: z.string().max(500).optional(),
});
/** What a peer may do in an office. A list that is left out allows all. */
export interface Grant {
  /** The ids of the rooms it may sit in. */
  readonly offices?: readonly string[] | undefined;
  /** As what it may sit there. */
  readonly roles?: readonly SeatFacts['role'][] | undefined;
  /** What it may call itself. */
  readonly names?: readonly string[] | undefined;
  /** Milliseconds since 1970: its connection is closed then. */
  readonly expiresAt?: number | undefined;
  /** Whose credential it is, for logs: the `sub` of a JWT, the label of a token. */
  readonly subject?: string | undefined;
}

/** What an office knows of who is connected. */
export interface Admitted extends Grant {
  /** What tells its credential from others, such as a digest; none where nobody is asked for one. */
  readonly credential?: string;
}
/** May a newcomer have the seat of a connection that does not answer any more? */
export const mayTakeOver = (newcomer: Admitted | undefined, holder: Admitted | undefined): boolean =>
  newcomer?.credential !== undefined && newcomer.credential === holder?.credential;

/** How each refusal of a seat begins that the credential does not allow. */
export const notGranted = 'Your credential is not for';
const listed = (all: readonly string[]): string => {
  const shown = all.slice(0, 5).map((one) => `'${one}'`);
  return shown.join(', ') + (all.length > shown.length ? ` and ${all.length - shown.length} more` : '');
};
/** Why this credential may not take that seat, or undefined. Its holder may know what it allows. */
export function forbids({ offices, roles, names }: Grant, seat: SeatFacts): string | undefined {
  const rules: readonly (readonly [string, readonly string[] | undefined, string])[] = [
    ['office', offices, seat.office],
    ['role', roles, seat.role],
    ['name', names, seat.name],
  ];
  for (const [what, allowed, wanted] of rules)
    if (allowed && !allowed.includes(wanted))
      return `${notGranted} the ${what} '${wanted.slice(0, 200)}', but for ${listed(allowed)}`;
  return undefined;
}
