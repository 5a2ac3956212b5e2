/** Tools of a computer, or of all computers of an agent, for the AI SDK of Vercel (`ai` 5 and 6). */
import type { MCPToolResponse } from '../../machines/models/format.ts';
import { offeredBy, type ToolsOptions, type ToolSource } from './offered.ts';

export type { ToolsOptions, ToolSource } from './offered.ts';

/** Tool of the AI SDK, as `dynamicTool` makes it. What differs by the version of the SDK is `never`, which fits all. */
export interface AiTool {
  readonly type: 'dynamic';
  /** Description for the model. */
  readonly description: string;
  /** Result of `jsonSchema`. */
  readonly inputSchema: never;
  /** Calls the tool under the id `toolCallId`; `abortSignal` cancels the call. Never rejects. */
  execute(
    input: unknown,
    call: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<MCPToolResponse>;
  /** Output for the model. Called with the result in version 5, with an object that has it in version 6. */
  toModelOutput(given: unknown): never;
}

// By these two marks the SDK knows a schema, whichever copy of it made it.
const marks = { [Symbol.for('vercel.ai.schema')]: true, [Symbol.for('vercel.ai.validator')]: true };

/**
 * Makes a `ToolSet` of the AI SDK of the tools of a computer, or of all computers of an agent. Confirmations, limits and
 * checks of arguments are those of the computer; a failure is told to the model with its reason.
 * @example
 * const tools = await toolsOf(computer, { context: { user: 'ada' } });
 */
export async function toolsOf(
  source: ToolSource,
  options: ToolsOptions = {},
): Promise<Record<string, AiTool>> {
  const tools = await offeredBy(source, options);
  return Object.fromEntries(
    tools.map(({ name, description, parameters, call, told }): [string, AiTool] => [
      name,
      {
        type: 'dynamic',
        description,
        inputSchema: { ...marks, jsonSchema: parameters, validate: undefined } as never,
        execute: (input, { toolCallId, abortSignal }) => call(toolCallId, input, abortSignal),
        toModelOutput: (given) => {
          const { output = given } = given as { readonly output?: unknown };
          const value = told(output as MCPToolResponse, ({ data, mimeType }) => ({
            type: 'media',
            data,
            mediaType: mimeType,
          }));
          return { type: typeof value === 'string' ? 'error-text' : 'content', value } as never;
        },
      },
    ]),
  );
}
