/**
 * A model that follows a rule instead of thinking, behind the API of OpenAI: `TOOL {"argument": "value"}` calls that tool, and
 * what a tool says is repeated. So an example needs neither a key nor a network.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type OpenAI from 'openai';

type Asked = OpenAI.ChatCompletionCreateParamsNonStreaming;

let calls = 0;
function reply({ messages, tools = [] }: Asked): OpenAI.ChatCompletionMessage {
  const last = messages.at(-1);
  const said = typeof last?.content === 'string' ? last.content : '';
  const spoken = (content: string): OpenAI.ChatCompletionMessage => ({
    role: 'assistant',
    content,
    refusal: null,
  });
  if (last?.role === 'tool') return spoken(`The tool said: ${said}`);
  const [, name = '', given = ''] = /^(\S+)\s*(.*)$/s.exec(said) ?? [];
  const names = tools.flatMap((tool) => (tool.type === 'function' ? [tool.function.name] : []));
  if (!names.includes(name)) return spoken(`I have these tools: ${names.join(', ') || 'none'}.`);
  calls += 1;
  const call = {
    id: `call_${calls}`,
    type: 'function' as const,
    function: { name, arguments: given || '{}' },
  };
  return { role: 'assistant', content: null, refusal: null, tool_calls: [call] };
}

/** Listens on this machine until `close`. `url` is what the client of OpenAI takes as its `baseURL`. */
export async function scriptedModel(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    void json(request)
      .then((asked) => {
        const message = reply(asked as Asked);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }] }));
      })
      .catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
