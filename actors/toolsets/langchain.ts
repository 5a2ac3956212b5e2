/** Tools of a computer, or of all computers of an agent, for LangChain (`@langchain/core` 0.3 and 1). */
import type { MCPToolResponse } from '../../machines/models/format.ts';
import { argument, having, mustBeOptions } from '../kernel/options.ts';
import { offeredBy, type ToolsOptions, type ToolSource } from './offered.ts';

export type { ToolsOptions, ToolSource } from './offered.ts';

/** The function `tool` of `@langchain/core/tools`, which makes a tool `T`. */
export type MakeTool<T> = (
  run: (
    input: unknown,
    config: { readonly toolCall?: { readonly id?: string }; readonly signal?: AbortSignal },
  ) => Promise<[content: unknown, artifact: MCPToolResponse]>,
  fields: {
    name: string;
    description: string;
    schema: never;
    responseFormat: 'content_and_artifact';
  },
) => T;
const ofTool = argument('tool', having('call', 'the function `tool` of @langchain/core/tools', ''));
/** Options of a set of tools, and the function `tool` of LangChain. */
export interface LangChainToolsOptions<T> extends ToolsOptions {
  /** The function `tool` of the `@langchain/core/tools` that your program uses. */
  readonly tool: MakeTool<T>;
}

/**
 * Makes tools of LangChain of the tools of a computer, or of all computers of an agent. Confirmations, limits and checks of
 * arguments are those of the computer. A failure is no error of LangChain, which would end its agent: the model is told it
 * with its reason. The artifact of a tool message is the whole response.
 */
export async function toolsOf<T>(
  source: ToolSource,
  { tool, ...options }: LangChainToolsOptions<T>,
): Promise<T[]> {
  mustBeOptions('toolsOf', tool, ofTool);
  const tools = await offeredBy(source, options);
  return tools.map(({ name, description, parameters, call, told }) =>
    tool(
      async (input, { toolCall, signal }) => {
        const response = await call(toolCall?.id, input, signal);
        const content = told(response, ({ kind, data, mimeType }) =>
          kind === 'image'
            ? { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }
            : { type: kind === 'audio' ? kind : 'file', source_type: 'base64', mime_type: mimeType, data },
        );
        const [first] = content;
        const isText = typeof first === 'object' && 'text' in first && content.length === 1;
        return [isText ? first.text : content, response];
      },
      { name, description, schema: parameters as never, responseFormat: 'content_and_artifact' },
    ),
  );
}
