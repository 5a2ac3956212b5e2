import {
  anthropicToolUseToMcpTool,
  createConversation,
  geminiFunctionCallToMcpTool,
  mcpToolsToAnthropicTools,
  mcpToolsToGeminiTools,
  mcpToolsToOpenAITools,
  openAIToolsToMcpTool,
  readArguments,
  textOf,
  toResponse,
  type EndedCall,
  type MCPToolDefinition,
  type SavedConversation,
} from '../../../machines/models/index.ts';
import { newId } from '../../../adapters/index.ts';
import type { CallOptions, CallOutcome } from '../agent/pending-calls.ts';
import type { Computer } from '../computer/computer-handle.ts';
import type { InConversation } from '../host-call.ts';
import type { PresenterConversation, ToolCallAnswer } from './presenter-handle.ts';

const answerOf = (id: string, ended: EndedCall): ToolCallAnswer => {
  const rawData = toResponse(id, ended);
  return { content: textOf(rawData), rawData };
};
const refused = (id: string, message: string): ToolCallAnswer =>
  answerOf(id, { outcome: 'failed', result: null, failure: { message } });
/** Whatever a host hands over. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the conversations of one presenter share. */
export interface Shared {
  readonly computer: Pick<Computer, 'tools'> & {
    callTool(
      tool: string,
      params: Readonly<Record<string, unknown>>,
      options: CallOptions & InConversation,
    ): Promise<CallOutcome>;
  };
  /** While it is false there are no tools. */
  readonly isEnabled: () => boolean;
  /** By `reqId`, of calls in flight: the id that a model gave. Two conversations may give the same one. */
  readonly toolCallIds: Map<string, string>;
}
/** The conversions and calls of one conversation: what a person allows in it holds in it alone. */
export function boundConversation(
  conversationId: string,
  { computer, isEnabled, toolCallIds }: Shared,
  saved?: SavedConversation,
): PresenterConversation {
  const conversation = createConversation(saved);
  let last: readonly MCPToolDefinition[] = [];
  let isOffered = false;
  const offer = async (): Promise<readonly MCPToolDefinition[]> => {
    const { tools } = isEnabled() ? await computer.tools() : { tools: [] };
    isOffered = true;
    return (last = conversation.offer(isEnabled() ? tools : []).definitions);
  };
  const whileOn = <T>(read: () => T | undefined): T | undefined => (isEnabled() ? read() : undefined);
  return {
    getAllToolDefinitions: offer,
    mcpToolsToOpenAITools: (definitions = last) => mcpToolsToOpenAITools(definitions),
    mcpToolsToAnthropicTools: (definitions = last) => mcpToolsToAnthropicTools(definitions),
    mcpToolsToGeminiTools: (definitions = last) => mcpToolsToGeminiTools(definitions),
    openAIToolsToMcpTool: (call) => whileOn(() => openAIToolsToMcpTool(call, conversation)),
    anthropicToolUseToMcpTool: (use) => whileOn(() => anthropicToolUseToMcpTool(use, conversation)),
    geminiFunctionCallToMcpTool: (call) => whileOn(() => geminiFunctionCallToMcpTool(call, conversation)),
    async callTool(call, options = {}) {
      const { id: given, function: said } = (call ?? {}) as Partial<typeof call>;
      const id = textIn(given);
      const name = textIn(said?.name);
      if (name === '') return refused(id, 'The call names no tool');
      if (!isEnabled()) return refused(id, 'MCP is switched off');
      const reqId = newId();
      try {
        if (!isOffered) await offer();
        const read = conversation.find(name);
        const args = readArguments(said?.arguments, read?.function.parameters);
        if (!args.ok) return answerOf(id, { outcome: 'failed', result: null, failure: args.failure });
        const tool = read?.target.tool ?? name;
        toolCallIds.set(reqId, id);
        return answerOf(
          id,
          await computer.callTool(tool, args.value, { ...options, reqId, conversation: conversationId }),
        );
      } catch (error) {
        return refused(id, error instanceof Error ? error.message : String(error));
      } finally {
        toolCallIds.delete(reqId);
      }
    },
    save: () => conversation.save(),
  };
}
