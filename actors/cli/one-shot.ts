import { createAgent } from '../api/agent/agent.ts';
import { anthropic, createConversation, gemini, openai } from '../../machines/models/index.ts';
import { wireCodes, type SmcpTool } from '../../machines/protocol/index.ts';
import type { Config } from '../../machines/config/index.ts';
import { createComputer } from '../api/computer/computer.ts';
import type { Computer } from '../api/computer/computer-handle.ts';
import { A2cError } from '../api/errors.ts';
import type { CallOptions, CallOutcome } from '../api/agent/pending-calls.ts';
import {
  absentLines,
  callJson,
  conflictLines,
  listingText,
  notReadyLines,
  toolLines,
} from './printing/answers.ts';
import { resultText } from './printing/contents.ts';
import { paramsOf } from './printing/call-lines.ts';
import { progressTold, shown } from './printing/call-progress.ts';
import type { ModelFormat } from './options.ts';
import { exitCodeOf, exitCodes, hasUsable, orClosed, unlessInterrupted } from './exit-codes.ts';
import { logBy, recordBy, type RecordingOptions } from './host-options.ts';
import { showFailure } from './printing/show-failure.ts';
import type { Context } from './context.ts';
import { configOf } from './source.ts';
import type { SourceOptions } from './host-options.ts';
import { atOnce, bootMsOf, hasTool, untilStarted, type Patience } from './starting.ts';

export interface OneShotOptions extends SourceOptions, RecordingOptions {
  readonly json: boolean;
  /** An office to ask as its agent; without it the servers are started here, for this one command. */
  readonly url?: string;
  readonly office: string;
  readonly computer?: string;
}

/**
 * The servers of the config, for as long as it takes: each is waited for until it is up or has failed, unless `patience`
 * says otherwise. A person who types the command has confirmed it.
 */
export async function withComputer<T>(
  context: Context,
  options: OneShotOptions,
  use: (computer: Computer, config: Config) => Promise<T>,
  patience: Patience & { readonly onResources?: (text: string) => void } = {},
): Promise<T> {
  const config = await configOf(context, options);
  const { signal, terminal } = context;
  const record = recordBy(options);
  return unlessInterrupted(signal, async (mustGoOn) => {
    // What Desktop and Finder leave out is nothing to somebody who calls a tool.
    const onNotice = (text: string, topic?: 'resources'): void => {
      if (topic === undefined) terminal.err(text);
      else patience.onResources?.(text);
    };
    const computer = await createComputer(
      { signal, record, timing: atOnce, ...logBy(context, options), onNotice },
      { config },
    );
    try {
      mustGoOn();
      const bootMs = bootMsOf(options, config);
      const ms = patience.ms === undefined ? bootMs : Math.min(patience.ms, bootMs ?? Infinity);
      await untilStarted(context, computer, config, { ...patience, ms });
      // One that was told to give up is closed, and lists nothing as if there were nothing.
      mustGoOn();
      return await use(computer, config);
    } finally {
      await computer.close();
    }
  });
}
export async function withAgent<T>(
  context: Context,
  { url = '', office, computer, ...recording }: OneShotOptions,
  use: (agent: Awaited<ReturnType<typeof createAgent>>, computer: string) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  return unlessInterrupted(signal, async (mustGoOn) => {
    const agent = await createAgent({
      url,
      office,
      signal,
      record: recordBy(recording),
      ...logBy(context, recording),
    });
    try {
      mustGoOn();
      const asked = computer ?? (await orClosed(signal, agent, () => onlyComputer(agent)));
      return await use(agent, asked);
    } finally {
      await agent.close();
    }
  });
}
/** Without `--computer` the only one there is meant. */
async function onlyComputer(agent: Awaited<ReturnType<typeof createAgent>>): Promise<string> {
  const here = (await agent.listRoom()).filter((m) => m.role === 'computer').map((m) => m.name);
  const [name] = here;
  if (name !== undefined && here.length === 1) return name;
  throw new A2cError({
    code: 404,
    message: here.length === 0 ? 'No computer is in this office' : 'Several computers are in this office',
    details: { computers: here },
    remedy: here.length === 0 ? 'Start one: a2c computer --url …' : `Choose: --computer ${here.join(' | ')}`,
  });
}

/** The wire does not tell which server has a tool, nor its own name there. */
const fromAfar = (tool: SmcpTool): object => ({ ...tool, original: null, server: null });

const modelFormats = { openai, anthropic, gemini } as const;
/** As a request to this provider takes them. */
const formatted = (format: ModelFormat, tools: readonly SmcpTool[]): string =>
  JSON.stringify(modelFormats[format].toTools(createConversation().offer(tools).definitions));

export async function tools(
  context: Context,
  options: OneShotOptions & { readonly format?: ModelFormat },
): Promise<number> {
  const { signal, terminal } = context;
  const { format } = options;
  if (options.url !== undefined) {
    const listed = await withAgent(context, options, (agent, computer) =>
      orClosed(signal, agent, () => agent.tools(computer)),
    );
    if (format) terminal.out(formatted(format, listed));
    else if (options.json)
      terminal.out(JSON.stringify({ tools: listed.map(fromAfar), refused: [], servers: [], warnings: [] }));
    else for (const line of toolLines(listed)) terminal.out(line);
    return exitCodeOf(signal);
  }
  const listing = await withComputer(context, options, async (computer, { warnings }) => ({
    ...(await computer.tools()),
    warnings,
  }));
  if (format) {
    terminal.out(formatted(format, listing.tools));
    // stdout has the tools and nothing else: an empty list would say nothing of why.
    for (const line of [...conflictLines(listing), ...absentLines(listing)]) terminal.err(line);
  } else if (options.json) terminal.out(JSON.stringify(listing));
  else for (const line of listingText(listing)) terminal.out(line);
  return exitCodeOf(signal, hasUsable(context, listing.servers));
}

/** What its computer knows, as long as it is there: the whole of what it has cut, and why it may not have a tool. */
async function known({ terminal }: Context, computer: Computer, outcome: CallOutcome): Promise<CallOutcome> {
  if (outcome.failure?.code === wireCodes.toolNotFound) {
    const listing = await computer.tools();
    for (const line of [...conflictLines(listing), ...notReadyLines(listing)]) terminal.err(line);
  }
  const { meta } = (outcome.result ?? {}) as { readonly meta?: { readonly a2c_cut?: { handle?: string } } };
  const handle = meta?.a2c_cut?.handle;
  if (handle === undefined) return outcome;
  return { ...outcome, result: computer.cachedResult(handle) ?? outcome.result };
}
/** Remedies name commands of the prompt. */
const inShell = ({ failure, ...rest }: CallOutcome): CallOutcome =>
  failure?.code === wireCodes.toolNotFound
    ? { ...rest, failure: { ...failure, remedy: 'List the tools: a2c tools' } }
    : { ...rest, failure };

export async function call(
  context: Context,
  tool: string,
  json: string,
  options: OneShotOptions & { readonly timeout?: number; readonly reqId?: string; readonly facts?: boolean },
): Promise<number> {
  const params = paramsOf(json, ` Quote them: '{"path": "README.md"}'`);
  if (!params.ok) {
    showFailure(context, { code: 400, message: params.message }, options.json);
    return exitCodes.usage;
  }
  const { signal, terminal } = context;
  const { timeout, reqId } = options;
  const limitMs = timeout === undefined || timeout === 0 ? undefined : timeout * 1_000;
  const startedAt = performance.now();
  const how = (): CallOptions => {
    // What it took until its server was there was time of this call.
    const left =
      limitMs === undefined ? 0 : Math.max(1, Math.round(limitMs - (performance.now() - startedAt)));
    return {
      signal,
      ...(timeout !== undefined && { timeoutMs: left }),
      ...(reqId !== undefined && { reqId }),
    };
  };
  const patience = { isEnough: hasTool(tool), ms: limitMs };
  const outcome = inShell(
    options.url === undefined
      ? await withComputer(
          context,
          options,
          async (computer) => {
            const called = computer.callTool(tool, params.value, { ...how(), confirmed: true });
            const outcome = await shown(context, computer, called, progressTold(context, options));
            return known(context, computer, outcome);
          },
          patience,
        )
      : await withAgent(context, options, (agent, computer) =>
          agent.callTool(computer, tool, params.value, how()),
        ),
  );
  if (options.json) terminal.out(JSON.stringify(callJson(outcome)));
  else {
    const isGood = outcome.outcome === 'succeeded';
    if (outcome.result !== null)
      (isGood ? terminal.outText : terminal.errText).call(terminal, resultText(outcome.result));
    if (outcome.failure) showFailure(context, outcome.failure, false);
  }
  return exitCodeOf(signal, outcome.outcome === 'succeeded');
}
