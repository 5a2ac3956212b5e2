import type { Ports } from '../../machines/kernel/ports.ts';
import { eventOf, type TransformRequest, type Transformer } from '../../machines/call/transform.ts';
import { wireCodes, type Failure } from '../../machines/protocol/index.ts';

/**
 * The port `ask` for questions to the session `transform`: `{server, tool, parameters, result}` is answered with
 * `{json}`, what the program of that server makes of it, or refused with why not. `programOf`: null where it has none.
 */
export const transformAsk =
  (transformer: Pick<Transformer, 'run'>, programOf: (server: string) => string | null): Ports['request'] =>
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
