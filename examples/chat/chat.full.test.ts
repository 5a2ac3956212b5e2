import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { linkedProject } from '../../scenarios/fixtures/linked-project.ts';

type Message = Readonly<Record<string, unknown>>;
interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** Model that reads the file of which it is told, and repeats what the tool said. */
const model = createServer((request, response) => {
  void json(request).then((body) => {
    const last = (body as Asked).messages.at(-1)?.content;
    const content =
      typeof last === 'string'
        ? [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: `${last}.md` } }]
        : [{ type: 'text', text: JSON.stringify(last) }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content }));
  });
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = mkdtempSync(join(tmpdir(), 'a2c-chat-'));
let child: ReturnType<typeof spawn>;
let url = '';
beforeAll(async () => {
  cpSync(join(root, 'examples/chat'), here, { recursive: true });
  linkedProject(here, '@anthropic-ai/sdk', 'express', 'ws');
  for (const name of ['Ada', 'Bob', 'Eve'])
    writeFileSync(join(here, `${name}.md`), `# ${name}\n\nHello, ${name}!\n`);
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  const { port } = model.address() as AddressInfo;
  child = spawn(process.execPath, ['server.mjs'], {
    cwd: here,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...{ ...process.env, PORT: '0', XDG_STATE_HOME: join(here, 'state'), ANTHROPIC_API_KEY: 'none' },
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    },
  });
  const [line] = await once(child.stdout ?? child, 'data');
  url = String(line).trim();
});
afterAll(async () => {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  model.close();
  rmSync(here, { recursive: true });
});

/** Opens a browser: what it was told, and what it sends. */
async function browser() {
  const socket = new WebSocket(url.replace('http', 'ws'));
  const told: Message[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data: Buffer) => {
    told.push(JSON.parse(data.toString()) as Message);
    for (const look of waiting.splice(0)) look();
  });
  await once(socket, 'open');
  const hears = async (type: string): Promise<Message> => {
    for (;;) {
      const found = told.find((message) => message['type'] === type);
      if (found) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { socket, told, hears, send: (message: object) => socket.send(JSON.stringify(message)) };
}

describe('examples/chat', () => {
  it('asks each user about the own calls only, and tells the model what each said', async () => {
    const [ada, bob] = await Promise.all([browser(), browser()]);
    ada.send({ text: 'Ada' });
    bob.send({ text: 'Bob' });
    const [hers, his] = await Promise.all([ada.hears('confirm'), bob.hears('confirm')]);
    expect([hers, his]).toMatchObject([
      { tool: 'read', arguments: { path: 'Ada.md' } },
      { tool: 'read', arguments: { path: 'Bob.md' } },
    ]);
    ada.send({ type: 'confirmed', id: hers['id'], allow: true });
    bob.send({ type: 'confirmed', id: his['id'], allow: false, reason: 'not before Monday' });
    await Promise.all([ada.hears('done'), bob.hears('done')]);
    expect(JSON.stringify(ada.told)).toContain('Hello, Ada!');
    expect(JSON.stringify(bob.told)).toContain('not before Monday');
    expect(JSON.stringify(bob.told)).not.toContain('Hello');
    ada.socket.close();
    bob.socket.close();
  });

  it('withdraws its question when the user stops, and goes on with the next message', async () => {
    const user = await browser();
    user.send({ text: 'Eve' });
    const { id } = await user.hears('confirm');
    user.send({ type: 'stop' });
    expect(await user.hears('withdrawn')).toMatchObject({ id });
    await user.hears('failed');
    user.told.length = 0;
    user.send({ text: 'Eve' });
    await user.hears('confirm');
    user.socket.close();
  });

  it('shows its page', async () => {
    expect(await (await fetch(url)).text()).toContain('<title>Chat</title>');
  });
});
