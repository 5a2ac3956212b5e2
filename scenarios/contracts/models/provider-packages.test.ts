import { text as textOf } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type Content } from '@google/genai';
import OpenAI from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  anthropic,
  createConversation,
  gemini,
  openai,
  openaiResponses,
} from '../../../actors/models/index.ts';
import { servedUrl } from '../../fixtures/local-server.ts';

type Body = Readonly<Record<string, unknown>>;
let url: string;
const got: (readonly [path: string, body: Body])[] = [];
const answers: object[] = [];
beforeEach(async () => {
  got.length = 0;
  url = await servedUrl((request, response) => {
    void textOf(request).then((body) => {
      const path = (request.url ?? '').split(/[/?:]/).findLast((word) => /^[a-z]/i.test(word)) ?? '';
      got.push([path, JSON.parse(body) as Body]);
      const answer = JSON.stringify(answers.shift() ?? {});
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
});

const apiKey = 'none';
const echo = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
const computer = {
  callTool: (_: string, { text }: Body) =>
    Promise.resolve({ failure: null, result: { content: [{ type: 'text', text }] } }),
};
const conversation = createConversation();
const { definitions } = conversation.offer([echo]);
const args = { text: 'hi' };
const system = 'Echo hi';

interface Turn<Message> {
  readonly messages: readonly Message[];
  readonly calls: readonly unknown[];
}
/** Asks and runs calls until the model calls nothing any more; returns the requests that its provider got. */
async function played<Message>(messages: Message[], turnOf: () => Promise<Turn<NoInfer<Message>>>) {
  for (let calls = 1; calls > 0;) {
    const turn = await turnOf();
    messages.push(...turn.messages);
    calls = turn.calls.length;
  }
  return { paths: got.map(([path]) => path), bodies: got.map(([, body]) => body), last: messages.at(-1) };
}

describe('a model that calls a tool through the client of its provider', () => {
  it('gets the result: openai, chat completions', async () => {
    const client = new OpenAI({ apiKey, baseURL: url });
    const call = { id: 'c1', type: 'function', function: { name: 'echo', arguments: JSON.stringify(args) } };
    answers.push(
      { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] },
      { choices: [{ message: { role: 'assistant', content: 'It said hi.' } }] },
    );
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: system }];
    const tools = openai.toTools(definitions);
    const { paths, bodies, last } = await played(messages, async () => {
      const { choices } = await client.chat.completions.create({ model: 'm', messages, tools });
      return openai.run(choices[0]?.message, conversation, computer);
    });
    expect(paths).toEqual(['completions', 'completions']);
    expect(bodies).toMatchObject([
      { tools: [{ type: 'function', function: { name: 'echo' } }] },
      { messages: [{}, { tool_calls: [call] }, { role: 'tool', tool_call_id: 'c1', content: 'hi' }] },
    ]);
    expect(last).toMatchObject({ content: 'It said hi.' });
  });

  it('gets the result: openai, responses', async () => {
    const client = new OpenAI({ apiKey, baseURL: url });
    const call = { type: 'function_call', call_id: 'c1', name: 'echo', arguments: JSON.stringify(args) };
    const said = { type: 'output_text', text: 'It said hi.', annotations: [] };
    answers.push(
      { output: [{ type: 'reasoning', id: 'rs_1', summary: [] }, call] },
      { output: [{ type: 'message', role: 'assistant', id: 'm', status: 'completed', content: [said] }] },
    );
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: system }];
    const tools = openaiResponses.toTools(definitions);
    const { paths, bodies, last } = await played(input, async () => {
      const response = await client.responses.create({ model: 'm', input, tools });
      return openaiResponses.run(response, conversation, computer);
    });
    expect(paths).toEqual(['responses', 'responses']);
    const output = { type: 'function_call_output', call_id: 'c1', output: 'hi' };
    expect(bodies).toMatchObject([
      { tools: [{ type: 'function', name: 'echo' }] },
      { input: [{}, { type: 'reasoning' }, call, output] },
    ]);
    expect(last).toMatchObject({ content: [said] });
  });

  it('gets the result: @google/genai', async () => {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    const part = { functionCall: { name: 'echo', args }, thoughtSignature: 'c2ln' };
    answers.push(
      { candidates: [{ content: { role: 'model', parts: [part] } }] },
      { candidates: [{ content: { role: 'model', parts: [{ text: 'It said hi.' }] } }] },
    );
    const contents: Content[] = [{ role: 'user', parts: [{ text: system }] }];
    const config = { tools: gemini.toTools(definitions) };
    const { paths, bodies, last } = await played(contents, async () => {
      const { candidates } = await client.models.generateContent({ model: 'm', contents, config });
      return gemini.run(candidates?.[0]?.content, conversation, computer);
    });
    expect(paths).toEqual(['generateContent', 'generateContent']);
    const answered = { role: 'user', parts: [{ functionResponse: { name: 'echo' } }] };
    expect(bodies).toMatchObject([
      { tools: [{ functionDeclarations: [{ name: 'echo' }] }] },
      { contents: [{}, { role: 'model', parts: [part] }, answered] },
    ]);
    expect(last).toMatchObject({ parts: [{ text: 'It said hi.' }] });
  });

  it('gets the result: @anthropic-ai/sdk', async () => {
    const client = new Anthropic({ apiKey, baseURL: url });
    const use = { type: 'tool_use', id: 't1', name: 'echo', input: args };
    answers.push(
      { role: 'assistant', content: [use] },
      { role: 'assistant', content: [{ type: 'text', text: 'It said hi.' }] },
    );
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: system }];
    const tools = anthropic.toTools(definitions);
    const { paths, bodies, last } = await played(messages, async () => {
      const message = await client.messages.create({ model: 'm', max_tokens: 99, messages, tools });
      return anthropic.run(message, conversation, computer);
    });
    expect(paths).toEqual(['messages', 'messages']);
    expect(bodies).toMatchObject([
      { tools: [{ name: 'echo' }] },
      { messages: [{}, { content: [use] }, { content: [{ type: 'tool_result', tool_use_id: 't1' }] }] },
    ]);
    expect(last).toMatchObject({ content: [{ text: 'It said hi.' }] });
  });
});
