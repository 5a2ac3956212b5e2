import type { RequestFact, Emit, Ports } from '../../kernel/ports.ts';
import { unusedIn, type Validate } from '../validation.ts';
import { below, withNumbers, type Digits } from '../../protocol/exact-numbers.ts';
import { toolIn, type CallRequest, type Known } from './judge.ts';
import { nothingFound, type Finding } from './result.ts';

/** What the call machine asks the port `finish`. */
export interface FinishRequest extends CallRequest {
  readonly result: unknown;
  /** It has more bytes than may be passed on: the host keeps the whole under this name. */
  readonly keepAs: string | null;
  /** The tool says that it failed: there is nothing to hold against a schema, and nothing to transform. */
  readonly isError: boolean;
  /** Integers that stand in the result as text: its schema is held against numbers. */
  readonly digits?: readonly Digits[];
}
export interface FinishOptions {
  readonly knownTo: (call: string) => Known | undefined;
  readonly validate: Validate;
  readonly hasProgram: (server: string) => boolean;
  /** Answers `{json}`, or refuses. */
  readonly transform: Ports['request'];
  readonly keep: (handle: string, result: unknown) => void;
}

const structuredIn = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'structuredContent' in result
    ? result.structuredContent
    : undefined;

/** How `structuredContent` differs from what the tool promised; a schema that cannot be used is a warning. */
function held(options: FinishOptions, from: string, request: FinishRequest): Finding {
  const { server, tool, result } = request;
  const schema = toolIn(options.knownTo(from), server, tool)?.outputSchema;
  if (!schema || request.isError) return nothingFound;
  const value = withNumbers(structuredIn(result), below(request.digits ?? [], 'structuredContent'));
  if (value === undefined) return { ...nothingFound, mismatch: ['structuredContent is missing'] };
  const validated = options.validate(schema, value);
  if (validated.ok === false) return { ...nothingFound, mismatch: validated.problems };
  const why = unusedIn(validated);
  return why === undefined
    ? nothingFound
    : { ...nothingFound, warnings: [`The output schema was not used${why}`] };
}

/** The port `finish`: what is too large is kept, what was promised is checked, what is to be transformed is. */
export const finishAsk =
  (options: FinishOptions): Ports['request'] =>
  (from, { id, target, params }, emit: Emit<RequestFact>) => {
    const request = params as FinishRequest;
    const { server, tool, result, keepAs, isError } = request;
    if (keepAs !== null) options.keep(keepAs, result);
    const found = held(options, from, request);
    const say = (more: Partial<Finding>): void =>
      emit({ type: 'ask.answered', id, result: { ...found, ...more } satisfies Finding });
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
