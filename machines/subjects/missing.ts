import { z } from 'zod';
import type { Missing } from '../systems/index.ts';

const missing = z.array(z.looseObject({ server: z.string(), reason: z.string() }));

/** The servers of which not all is in an answer, as our computers say it; others say nothing. */
export function missingIn(body: Readonly<Record<string, unknown>>): readonly Missing[] {
  const read = missing.safeParse(body['missing']);
  return read.success ? read.data.map(({ server, reason }) => ({ server, reason })) : [];
}
