/** Tests with the packages of the AI SDK and of LangChain, from npm in `~/.cache`; they are skipped where npm is not reached. */
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed, root } from '../../judge/hosts.ts';
import { bootedComputer } from '../../fixtures/booted.ts';
import { testFolder } from '../../fixtures/test-folder.ts';
import type { Computer } from '../../../actors/index.ts';
import { toolsOf as aiTools } from '../../../actors/toolsets/ai.ts';
import { toolsOf as chainTools } from '../../../actors/toolsets/langchain.ts';

const folderOf = (npm: Readonly<Record<string, string>>): Promise<string | undefined> =>
  installed({ npm }).catch((error: unknown) => {
    process.stderr.write(`a framework is left out: ${String(error).slice(0, 200)}\n`);
    return undefined;
  });
const zod = '4.6.7';
const ai5 = await folderOf({ ai: '5.0.277', zod });
const ai6 = await folderOf({ ai: '6.0.326', zod });
const langchain = await folderOf({ '@langchain/core': '1.4.0', zod });
const packageIn = (folder: string, name: string): never => createRequire(join(folder, 'x.js'))(name) as never;

const every = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
let computer: Computer;
beforeAll(async () => {
  computer = await bootedComputer({
    ...{ stateDir: false, record: false },
    config: {
      mcpServers: {
        every: { command: process.execPath, args: [every], autoApprove: ['echo', 'get-tiny-image'] },
      },
    },
    confirm: ({ context }) => ({ decision: 'deny', reason: `${String(context)} said no` }),
  });
});
afterAll(() => computer.close());

/** Checks a program with the types of the packages of a folder and our built ones. */
function typesOf(folder: string, program: string): string {
  const project = testFolder('toolsets');
  symlinkSync(join(folder, 'node_modules'), join(project, 'node_modules'), 'dir');
  const path = (file: string): string[] => [join(root, 'dist/actors', file)];
  const compilerOptions = {
    ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2024', noEmit: true, skipLibCheck: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, lib: ['es2024', 'esnext.disposable', 'dom'] },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
    paths: {
      'a2c-actors': path('index.d.ts'),
      'a2c-actors/ai': path('toolsets/ai.d.ts'),
      'a2c-actors/langchain': path('toolsets/langchain.d.ts'),
    },
  };
  writeFileSync(join(project, 'host.ts'), program);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['host.ts'] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' }).stdout;
}

interface AiPackage {
  generateText(options: object): Promise<{ readonly text: string }>;
  stepCountIs(count: number): unknown;
}
interface Prompted {
  readonly prompt: readonly { readonly role: string; readonly content: readonly object[] }[];
}
type Model = new (options: object) => { readonly doGenerateCalls: readonly Prompted[] };

describe.each([
  [5, ai5, 'MockLanguageModelV2', 'media', 'tool-calls'],
  [6, ai6, 'MockLanguageModelV3', 'image-data', { unified: 'tool-calls' }],
] as const)('the AI SDK %i', (_, folder = '', mock, image, called) => {
  it.skipIf(folder === '')('calls the tools, and its model gets texts, images and reasons', async () => {
    const { generateText, stepCountIs } = packageIn(folder, 'ai') as AiPackage;
    const { [mock]: MockModel } = packageIn(folder, 'ai/test') as Record<string, Model>;
    const said = [
      ['echo', { message: 'hi' }],
      ['get-tiny-image', {}],
      ['echo', {}],
      ['get-sum', { a: 1, b: 2 }],
    ].map(([toolName, input], n) => ({
      ...{ type: 'tool-call', toolCallId: `t${n}`, toolName, input: JSON.stringify(input) },
    }));
    const turns = [{ finishReason: called, content: said }];
    const last = { finishReason: 'stop', content: [{ type: 'text', text: 'done' }] };
    const model = new (MockModel as Model)({
      doGenerate: () =>
        Promise.resolve({
          usage: { inputTokens: {}, outputTokens: {} },
          warnings: [],
          ...(turns.shift() ?? last),
        }),
    });
    const tools = await aiTools(computer, { context: 'ada' });
    const stopWhen = stepCountIs(5);
    expect(await generateText({ model, tools, stopWhen, prompt: 'q' })).toMatchObject({ text: 'done' });
    const results = model.doGenerateCalls[1]?.prompt.find(({ role }) => role === 'tool')?.content;
    const text = (words: unknown) => ({ type: 'text', text: words });
    const mediaType = 'image/png';
    expect(results).toMatchObject([
      { toolCallId: 't0', output: { type: 'content', value: [text('Echo: hi')] } },
      {
        output: {
          value: [text(expect.stringContaining('image')), { type: image, mediaType }, { type: 'text' }],
        },
      },
      { output: { type: 'error-text', value: expect.stringContaining('message: is missing') } },
      { output: { type: 'error-text', value: 'Error: A person refused the call: ada said no' } },
    ]);
  });

  it.skipIf(folder === '')('takes the tools without a cast', () => {
    const program = `
      import { generateText, type LanguageModel, type ToolSet } from 'ai';
      import type { Agent, Computer } from 'a2c-actors';
      import { toolsOf } from 'a2c-actors/ai';
      export async function answer(model: LanguageModel, computer: Computer, agent: Agent): Promise<string> {
        const tools: ToolSet = await toolsOf(agent);
        await generateText({ model, tools, prompt: 'x' });
        return (await generateText({ model, tools: await toolsOf(computer, { context: 1 }), prompt: 'x' })).text;
      }`;
    expect(typesOf(folder, program)).toBe('');
  });
});
interface ToolMessage {
  readonly content: unknown;
  readonly artifact: unknown;
  readonly tool_call_id: string;
}
interface ChainTool {
  readonly name: string;
  invoke(call: object): Promise<ToolMessage>;
}
describe.skipIf(langchain === undefined)('LangChain', () => {
  it('calls the tools, and a tool message has texts, images and reasons', async () => {
    const { tool } = packageIn(langchain ?? '', '@langchain/core/tools') as {
      tool: (run: never, fields: object) => ChainTool;
    };
    const tools = await chainTools(computer, { tool: tool as never, context: 'ada' });
    const called = (name: string, args: object): Promise<ToolMessage> | undefined =>
      (tools as ChainTool[])
        .find((one) => one.name === name)
        ?.invoke({ type: 'tool_call', id: 'x1', name, args });
    const artifact = { toolCallId: 'x1', isError: false };
    expect(await called('echo', { message: 'hi' })).toMatchObject({
      ...{ content: 'Echo: hi', artifact, tool_call_id: 'x1' },
    });
    expect((await called('get-tiny-image', {}))?.content).toMatchObject([
      { type: 'text' },
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) as string } },
      { type: 'text' },
    ]);
    expect(await called('get-sum', { a: 1, b: 2 })).toMatchObject({
      ...{ content: 'Error: A person refused the call: ada said no', artifact: { isError: true } },
    });
  });

  it('takes the tools without a cast', () => {
    const program = `
      import { tool, type ClientTool } from '@langchain/core/tools';
      import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
      import type { Agent, Computer } from 'a2c-actors';
      import { toolsOf } from 'a2c-actors/langchain';
      export async function bound(model: BaseChatModel, computer: Computer, agent: Agent): Promise<ClientTool[]> {
        model.bindTools?.(await toolsOf(computer, { tool, context: 1 }));
        return toolsOf(agent, { tool });
      }`;
    expect(typesOf(langchain ?? '', program)).toBe('');
  });
});
