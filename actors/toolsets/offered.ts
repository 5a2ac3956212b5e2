/** Common part of both frameworks. Names, checks and texts are those of `a2c-actors/models`. */
import { argument, having, listOf, mustBeOptions, object, options as optionsOf } from '../kernel/options.ts';
import type { Agent } from '../api/agent-handle.ts';
import type { Computer } from '../api/computer-handle.ts';
import { createConversation } from '../models/index.ts';
import { ranTurn, runFields, type RunOptions } from '../models/run.ts';
import type { Conversation, OfferOptions } from '../../machines/models/conversation.ts';
import type { CallReader, MCPToolResponse, ModelTool, SaidCall } from '../../machines/models/format.ts';
import { taken } from '../../machines/models/openai.ts';
import { mediaPicker, partsWithin, textOf, type Media } from '../../machines/models/present.ts';
import { parametersOf } from '../../machines/models/schema.ts';

/** Computer whose tools are called, or agent that calls the tools of all computers of its office. */
export type ToolSource =
  | Pick<Computer, 'callTool' | 'skills' | 'tools'>
  | Pick<Agent, 'callTool' | 'room' | 'skills' | 'status' | 'tools'>;
/** Options of a set of tools: those of `run` of `a2c-actors/models`, for each call, and what is offered. */
export interface ToolsOptions extends Omit<RunOptions, 'signal' | 'concurrency'>, OfferOptions {
  /** Conversation in which the tools keep their names when they are listed again. Default: a new one. */
  readonly conversation?: Conversation | undefined;
}

const { signal: _signal, concurrency: _concurrency, ...fields } = runFields;
const ofTools = optionsOf<ToolsOptions>({
  ...fields,
  skills: listOf(object),
  conversation: having('offer', 'a conversation of createConversation', ''),
});
const ofSource = argument('source', having('callTool', 'a computer or an agent', ''));
const format = {
  fromCall: (said: SaidCall, conversation: CallReader) => conversation.read(said),
  toMessages: () => [],
};

async function listed(source: ToolSource): Promise<readonly ModelTool[]> {
  if (!('room' in source)) return (await source.tools()).tools;
  const toolsAt = (name: string) =>
    source
      .tools(name)
      .then(({ tools }) => tools)
      .catch(() => []);
  const lists = source.status().computers.map(toolsAt);
  return (await Promise.all(lists)).flat();
}

/** Rejects (`BadRequest`) when an argument is wrong. A call never rejects; for the model a failure is one text. */
export async function offeredBy(source: ToolSource, options: ToolsOptions) {
  mustBeOptions('toolsOf', source, ofSource);
  mustBeOptions('toolsOf', options, ofTools);
  const { conversation = createConversation(), skills, ...run } = options;
  const { definitions } = conversation.offer(await listed(source), { skills });
  return definitions.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    parameters: parametersOf(parameters),
    async call(id: string | undefined, args: unknown, signal: AbortSignal | undefined) {
      const said = { id, name, arguments: args };
      const { calls } = await ranTurn(format, [said], [], [conversation, source, { ...run, signal }]);
      return (calls[0] as (typeof calls)[number]).response;
    },
    told<Part>(response: MCPToolResponse, toPart: (media: Media) => Part) {
      if (response.isError) return textOf(response, run.characters);
      return partsWithin(response, mediaPicker(taken, ['image'], run), run).map((part) =>
        'media' in part ? toPart(part.media) : { type: 'text' as const, text: part.text },
      );
    },
  }));
}
