/** VRL programs over the results of calls: the port that runs them, and their input. */
import type { RequestPort } from '../kernel/ports.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { isObject, type Fields } from '../protocol/json.ts';

export type ProgramChecked = { readonly ok: true } | { readonly ok: false; readonly failure: Failure };
export type Transformed =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly failure: Failure };
/** In the order of requests. A program that takes too long is ended, and the next ones still run. */
export interface Transformer {
  /** `VrlSyntaxError` with `{message, line, column}` if it does not compile. Never rejects. */
  check(source: string): Promise<ProgramChecked>;
  /** Runs a program. `emit` is never called before this returns. The returned function withdraws the request. */
  run(source: string, event: object, emit: (answer: Transformed) => void): () => void;
  close(): Promise<void>;
}

/** In ms. */
export interface TransformerTimes {
  readonly vrlMs?: number;
  readonly loadMs?: number;
  /** Time without a task after which the thread is ended. The next task starts it again. */
  readonly idleMs?: number;
}
export interface TransformRequest {
  readonly server: string;
  readonly tool: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** MCP names the metadata `_meta`, our wire `meta`; if both are present, they are merged. */
function taken(result: unknown): { readonly meta: Fields | null; readonly rest: Fields } {
  if (!isObject(result)) return { meta: null, rest: {} };
  const { _meta, meta, ...rest } = result;
  if (!isObject(_meta) && !isObject(meta)) return { meta: null, rest };
  return { meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta) }, rest };
}

/** Event of a2c-wire §3.7: the first four are always present, so that programs need not test for them. */
export function eventOf({ tool, parameters, result }: Omit<TransformRequest, 'server'>): Fields {
  const { meta, rest } = taken(result);
  return {
    ...rest,
    meta,
    content: rest['content'] ?? [],
    structuredContent: rest['structuredContent'] ?? null,
    isError: rest['isError'] ?? false,
    tool_name: tool,
    parameters,
  };
}

/** Question `{server, tool, parameters, result}`; answer `{json}`, or a refusal with the reason. */
export const transformAsk =
  (transformer: Pick<Transformer, 'run'>, programOf: (server: string) => string | null): RequestPort =>
  (_from, { id, params }, emit) => {
    const { server, ...call } = params as TransformRequest;
    const refuse = ({ message, details, ...failure }: Failure, sent: boolean): void =>
      emit({
        type: 'ask.refused',
        id,
        sent,
        failure: {
          ...failure,
          message: `vrl of '${server}': ${message}`,
          details: { ...details, server_name: server, tool_name: call.tool },
        },
      });
    const program = programOf(server);
    if (program === null) {
      refuse({ code: wireCodes.notFound, message: 'there is no program' }, false);
      return () => {};
    }
    return transformer.run(program, eventOf(call), (answer) =>
      answer.ok
        ? emit({ type: 'ask.answered', id, result: { json: answer.json } })
        : refuse(answer.failure, true),
    );
  };
