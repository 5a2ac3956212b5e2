import { wireCodes } from '../../protocol/failure.ts';
import { problemsIn } from '../../protocol/problems.ts';
import type { Read } from '../../protocol/messages/lists.ts';
import { resourceResult } from '../../protocol/messages/resource.ts';
import type { Contents } from './collection.ts';

/** What `resources/read` gave, so far as it is what MCP says: a server may answer anything at all. */
export function contentsIn(result: unknown): Read<Contents> {
  const read = resourceResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data.contents };
  const message = `The server did not answer with contents: ${problemsIn(read.error).join('; ')}`;
  return { ok: false, failure: { code: wireCodes.internal, message } };
}
