import { wireCodes, type Failure } from '../../protocol/failure.ts';
import { promptResult, resourceResult, type PromptResult } from '../../protocol/messages/collections.ts';
import { problemsIn } from '../../protocol/messages/answers.ts';
import type { Read } from '../../protocol/messages/lists.ts';
import type { Contents } from './collection.ts';

/** What `resources/read` gave, so far as it is what MCP says: a server may answer anything at all. */
export function contentsIn(result: unknown): Read<Contents> {
  const read = resourceResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data.contents };
  return { ok: false, failure: unreadable('contents', problemsIn(read.error)) };
}
/** What `prompts/get` gave, so far as it is what MCP says. */
export function promptIn(result: unknown): Read<PromptResult> {
  const read = promptResult.safeParse(result);
  if (read.success) return { ok: true, body: read.data };
  return { ok: false, failure: unreadable('a prompt', problemsIn(read.error)) };
}
const unreadable = (what: string, problems: readonly string[]): Failure => ({
  code: wireCodes.internal,
  message: `The server did not answer with ${what}: ${problems.join('; ')}`,
});
