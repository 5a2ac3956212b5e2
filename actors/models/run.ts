/** Calls of one answer of a model, run on a computer or, through an agent, on the computers of an office. */
import {
  argument,
  anything,
  callback,
  count,
  having,
  limit,
  listOf,
  mustBeOptions,
  oneOf,
  options as optionsOf,
  fromOne,
  signal as ofSignal,
  text,
} from '../kernel/options.ts';
import {
  mediaKinds,
  type AnsweredCall,
  type CallReader,
  type MCPToolResponse,
  type ModelCall,
  type ReadCall,
  type ResultOptions,
  type SkillAsked,
} from '../../machines/models/format.ts';
import { toResponse, type EndedCall } from '../../machines/models/present.ts';

/** Options with which a call of a model is made; `callTool` of a computer or an agent explains them. */
export interface ModelCallOptions {
  /** Id of the call in questions, events and logs. */
  readonly reqId?: string;
  /** Signal that cancels the call. */
  readonly signal?: AbortSignal;
  /** Time limit of the call in ms. */
  readonly timeoutMs?: number;
  /** Value that the host gives to the call for its own use, such as its user. */
  readonly context?: unknown;
  /** Session of the host on a computer, for permissions; an agent has none. */
  readonly sessionKey?: string;
}
/** Progress of a call as its server reports it. */
export interface ToldProgress {
  /** Amount done so far, in a unit of the server's choice. */
  readonly progress: number;
  /** Final value of `progress`, when the server knows it. */
  readonly total?: number;
  /** Description by the server of its current work. */
  readonly message?: string;
}
/** Call in flight, as `callTool` returns it. */
export interface CallInFlight extends PromiseLike<EndedCall> {
  /** Listens to the progress of the call. */
  on?(name: 'progress', listener: (told: ToldProgress) => void): unknown;
}
/** Options with which a file of a skill is read; `skill` of a computer or an agent explains them. */
export interface SkillReadOptions {
  /** Path of the file inside of the skill. Default `SKILL.md`. */
  readonly path?: string;
  /** Signal that cancels the read of the file. */
  readonly signal?: AbortSignal;
  /** Time limit of the read of the file, in ms. */
  readonly timeoutMs?: number;
}
/** File of a skill, as `skill` of a computer or an agent returns it. */
export interface FileOfSkill {
  /** Text of the file; null when the file is binary or too large to be sent as text. */
  readonly text: string | null;
}
/** Object that runs tools: a computer. */
export interface ToolCaller {
  /** Reads files of skills; needed only for offers with skills. */
  readonly skills?: { read(name: string, options: SkillReadOptions): PromiseLike<FileOfSkill> };
  /** Calls a tool by its name. */
  callTool(tool: string, args: Readonly<Record<string, unknown>>, options: ModelCallOptions): CallInFlight;
}
/** Object that runs tools of several computers: an agent. */
export interface OfficeToolCaller {
  /** Lists the members of the office; its presence tells an agent from a computer. */
  room(): PromiseLike<unknown>;
  /** Reads files of skills; needed only for offers with skills. */
  readonly skills?: {
    read(computer: string, name: string, options: SkillReadOptions): PromiseLike<FileOfSkill>;
  };
  /** Calls a tool of a computer. */
  callTool(
    computer: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ModelCallOptions,
  ): CallInFlight;
}

/** Options of a run: those of its calls, limits of their results, and callbacks. */
export interface RunOptions extends ResultOptions {
  /** Signal that cancels all calls. Each cancelled call still has a result, and the messages of the turn are complete. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of each call in ms. Default: the one of `callTool`. */
  readonly timeoutMs?: number | undefined;
  /** Value that the host gives to each call for its own use, such as its user: the `context` of `callTool`. */
  readonly context?: unknown;
  /**
   * Session whose permissions hold for the calls on a computer: the `sessionKey` of its `callTool`. The calls of an
   * agent have none.
   */
  readonly sessionKey?: string | undefined;
  /** Largest number of calls that run at the same time. Default 8. */
  readonly concurrency?: number | undefined;
  /**
   * Called for each call just before it is made, with the `reqId` of its questions, events and outcome, by which a host
   * finds the model's call. An error that it throws becomes a warning of the process.
   */
  readonly onCall?: ((made: MadeCall) => void) | undefined;
  /** Called with the progress of each call. An error that it throws becomes a warning of the process. */
  readonly onProgress?: ((progress: ModelCallProgress) => void) | undefined;
}
/** Call of a model that is about to be made. */
export interface MadeCall {
  /** Call of the model, with the id that it has in the answer. */
  readonly call: ModelCall;
  /** Id of the call on the computer and on the wire: `reqId` of its questions and events. */
  readonly reqId: string;
}
/** Progress of a call of a model. */
export interface ModelCallProgress extends ToldProgress {
  /** Call whose progress is reported. */
  readonly call: ModelCall;
}
/** Call of a model that has ended. */
export interface RanCall {
  /** Id of the call in the answer, or one made by the conversation. */
  readonly id: string;
  /** Name of the tool as the model wrote it. */
  readonly name: string;
  /** Tool and arguments of the call; null when the tool does not exist, or the arguments cannot be read. */
  readonly call: ModelCall | null;
  /** Effect of the call. `unknown`: it was sent and never answered. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  /** End of the call as the computer or the agent told it: `end`, `failure`, `reqId` and the result. */
  readonly ended: EndedCall;
  /** Whole result, for a host that shows it. */
  readonly response: MCPToolResponse;
}
/** Answer of a model, and the results of its calls. */
export interface Turn<Message> {
  /** Messages to append to the conversation: the answer itself, then the results of its calls. */
  readonly messages: Message[];
  /** Calls in the order of the answer; without any the model has finished. */
  readonly calls: readonly RanCall[];
}

/**
 * Arguments of `run` after the answer of the model: the conversation, the computer or agent that runs the calls, and
 * options.
 */
export type RunPlace = readonly [
  conversation: CallReader,
  target: ToolCaller | OfficeToolCaller,
  options?: RunOptions,
];
interface RunFormat<Call, Result> {
  fromCall(call: Call, conversation: CallReader): ReadCall;
  toMessages(results: readonly AnsweredCall<Call>[], options?: ResultOptions): Result[];
}

export const runFields = {
  signal: ofSignal,
  timeoutMs: limit,
  context: anything,
  sessionKey: text,
  concurrency: fromOne,
  onCall: callback,
  onProgress: callback,
  characters: count,
  media: listOf(oneOf(...mediaKinds)),
  mediaCount: count,
  mediaBytes: count,
  mediaTotalBytes: count,
};
const ofRun = optionsOf<RunOptions>(runFields);
const order = 'The order is: run(answer, conversation, computer or agent, options?).';
const ofConversation = having('read', 'a conversation of createConversation', order);
const ofTarget = having('callTool', 'a computer or an agent', order);

/** A failed call becomes a result for the model. Rejects (`BadRequest`) before any call when an argument is wrong. */
export async function ranTurn<Call, Result, Message>(
  format: RunFormat<Call, Result>,
  calls: readonly Call[],
  own: readonly Message[],
  [conversation, target, options = {}]: RunPlace,
): Promise<Turn<Message | Result>> {
  mustBeOptions('run', conversation, argument('conversation', ofConversation));
  mustBeOptions('run', target, argument('target', ofTarget));
  mustBeOptions('run', options, ofRun);
  const reads = calls.map((call) => format.fromCall(call, conversation));
  const ran = await eachOf(reads, options.concurrency ?? 8, (read) => ranCall(read, target, options));
  const results = calls.flatMap((call, n): AnsweredCall<Call>[] => {
    const response = ran[n]?.response;
    return response ? [{ call, response }] : [];
  });
  return { messages: [...own, ...format.toMessages(results, options)], calls: ran };
}
async function ranCall(
  read: ReadCall,
  target: ToolCaller | OfficeToolCaller,
  options: RunOptions,
): Promise<RanCall> {
  const { id, name } = read.ok ? read.call : read;
  const ended: EndedCall = read.ok ? await endOf(read.call, target, options) : read;
  const outcome = ended.outcome ?? (ended.failure ? 'failed' : 'succeeded');
  return { id, name, call: read.ok ? read.call : null, outcome, ended, response: toResponse(id, ended) };
}
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
async function endOf(
  call: ModelCall,
  target: ToolCaller | OfficeToolCaller,
  { signal, timeoutMs, context, sessionKey, onCall, onProgress }: RunOptions,
): Promise<EndedCall> {
  const reqId = crypto.randomUUID();
  const options: ModelCallOptions = {
    ...(onCall && { reqId }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(context !== undefined && { context }),
  };
  const { tool, arguments: args, computer } = call;
  try {
    onCall?.({ call, reqId });
  } catch (error) {
    process.emitWarning(`a listener of 'onCall' threw: ${messageOf(error)}`, 'A2cListenerWarning');
  }
  if (call.skill) return endOfSkill(call.skill, target, { signal, timeoutMs });
  try {
    if (!('room' in target)) {
      const own = { ...options, ...(sessionKey !== undefined && { sessionKey }) };
      return await heard(target.callTool(tool, args, own), call, onProgress);
    }
    if (computer === undefined)
      return { outcome: 'failed', failure: { message: `Tool '${tool}' was offered without its computer` } };
    return await heard(target.callTool(computer, tool, args, options), call, onProgress);
  } catch (error) {
    // Reports a call as unknown when its handle rejects. Handles of this library never do; another object may.
    return { outcome: 'unknown', failure: { message: messageOf(error) } };
  }
}
/** Reading changes nothing, so its outcome is never unknown. */
async function endOfSkill(
  asked: SkillAsked,
  target: ToolCaller | OfficeToolCaller,
  { signal, timeoutMs }: Pick<RunOptions, 'signal' | 'timeoutMs'>,
): Promise<EndedCall> {
  if (asked.kind === 'failed') return { outcome: 'failed', failure: asked.failure };
  if (asked.kind === 'list') return { outcome: 'succeeded', result: asked.text };
  const { computer, skill, path } = asked.of;
  const options: SkillReadOptions = {
    ...(path !== undefined && { path }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const failed = (message: string): EndedCall => ({ outcome: 'failed', failure: { message } });
  try {
    const reads =
      'room' in target ? target.skills?.read(computer, skill, options) : target.skills?.read(skill, options);
    if (!reads) return failed('Skills cannot be read here');
    const { text } = await reads;
    return text === null ? failed('The file is no text') : { outcome: 'succeeded', result: text };
  } catch (error) {
    return failed(messageOf(error));
  }
}
function heard(inFlight: CallInFlight, call: ModelCall, onProgress: RunOptions['onProgress']): CallInFlight {
  if (onProgress) inFlight.on?.('progress', (told) => onProgress({ call, ...told }));
  return inFlight;
}

async function eachOf<Item, Result>(
  items: readonly Item[],
  most: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [n, item] of left) results[n] = await run(item);
  };
  const workers = Math.min(items.length, Math.max(1, Math.floor(most) || 1));
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}
