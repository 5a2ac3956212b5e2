/** Looks at the result of a server before it is passed on: its schema, the VRL program of its server, large contents. */
import { toolIn, unusedIn, type JudgedCall, type KnownTools, type Validate } from './judge.ts';
import { nothingFound, type Finding } from './result.ts';
import type { Hand } from '../../blobs/hand.ts';
import type { Emit, RequestFact, RequestPort } from '../../kernel/ports.ts';

interface FinishRequest extends JudgedCall {
  readonly result: unknown;
  /** Name under which the host keeps the full result when it is too large to be passed on; null when it fits. */
  readonly keepAs: string | null;
  /** True when the tool reported a failure; its result is neither validated nor transformed. */
  readonly isError: boolean;
  /** Address of the link of the asking agent; present when the result has large contents, which may be sent as handles. */
  readonly asker?: string;
}
export interface FinishOptions {
  readonly knownTo: (call: string) => KnownTools | undefined;
  readonly validate: Validate;
  readonly hasProgram: (server: string) => boolean;
  readonly transform: RequestPort;
  readonly keep: (handle: string, result: unknown) => void;
  readonly hand: Hand;
}

const structuredIn = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'structuredContent' in result
    ? result.structuredContent
    : undefined;

/** An unusable schema becomes a warning. */
function held(options: FinishOptions, from: string, request: FinishRequest): Finding {
  const { server, tool, result } = request;
  const schema = toolIn(options.knownTo(from), server, tool)?.outputSchema;
  if (!schema || request.isError) return nothingFound;
  const value = structuredIn(result);
  if (value === undefined) return { ...nothingFound, mismatch: ['structuredContent is missing'] };
  const validated = options.validate(schema, value);
  if (validated.ok === false) return { ...nothingFound, mismatch: validated.problems };
  const why = unusedIn(validated);
  return why === undefined
    ? nothingFound
    : { ...nothingFound, warnings: [`The output schema was not used${why}`] };
}

export const finishAsk =
  (options: FinishOptions): RequestPort =>
  (from, { id, target, params }, emit: Emit<RequestFact>) => {
    const request = params as FinishRequest;
    const { server, tool, result, keepAs, isError } = request;
    if (keepAs !== null) options.keep(keepAs, result);
    const found = held(options, from, request);
    const tell = (more: Partial<Finding>): void =>
      emit({ type: 'ask.answered', id, result: { ...found, ...more } satisfies Finding });
    const { agent, asker } = request;
    const say = (more: Partial<Finding>): void => {
      if (asker === undefined || agent === null) return tell(more);
      options.hand(from, { result, agent, asker }, (content) => tell(content ? { ...more, content } : more));
    };
    if (isError || !options.hasProgram(server)) {
      say({});
      return () => {};
    }
    const asked = { server, tool, parameters: request.params, result };
    return options.transform(from, { id, target, method: 'vrl', params: asked }, (fact) => {
      if (fact.type === 'ask.answered') say({ transformed: (fact.result as { json: string }).json });
      else if (fact.type === 'ask.refused') say({ warnings: [...found.warnings, fact.failure.message] });
    });
  };
