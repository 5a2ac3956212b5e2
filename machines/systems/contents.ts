import { z } from 'zod';
import { wireCodes } from '../wire/failure.ts';
import type { Read } from '../wire/lists.ts';
import { resourceContents } from '../wire/resource.ts';
import type { Contents } from './system.ts';

const answer = z.looseObject({ contents: z.array(resourceContents) });

/** What a server answered to `resources/read`: whatever it is, it comes here as it came. */
export function contentsIn(result: unknown): Read<Contents> {
  const read = answer.safeParse(result);
  if (read.success) return { ok: true, body: read.data.contents };
  const message = 'the server answered resources/read without contents';
  return { ok: false, failure: { code: wireCodes.internal, message } };
}
