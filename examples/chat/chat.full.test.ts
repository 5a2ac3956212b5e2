import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { linkedProject } from '../../scenarios/fixtures/linked-project.ts';
import { readingModel } from '../../scenarios/fixtures/reading-model.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

type Message = Readonly<Record<string, unknown>>;
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = testFolder('chat');
let model: Awaited<ReturnType<typeof readingModel>>;
let child: ReturnType<typeof spawn>;
let url = '';
beforeAll(async () => {
  cpSync(join(root, 'examples/chat'), here, { recursive: true });
  linkedProject(here, '@anthropic-ai/sdk', 'express', 'ws');
  for (const name of ['Ada', 'Bob', 'Eve'])
    writeFileSync(join(here, `${name}.md`), `# ${name}\n\nHello, ${name}!\n`);
  model = await readingModel();
  child = spawn(process.execPath, ['server.mjs'], {
    cwd: here,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...model.env, PORT: '0', XDG_STATE_HOME: join(here, 'state') },
  });
  const [line] = await once(child.stdout ?? child, 'data');
  url = String(line).trim();
});
afterAll(async () => {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  model.close();
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
    ada.send({ text: 'Ada.md' });
    bob.send({ text: 'Bob.md' });
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
    user.send({ text: 'Eve.md' });
    const { id } = await user.hears('confirm');
    user.send({ type: 'stop' });
    expect(await user.hears('withdrawn')).toMatchObject({ id });
    await user.hears('failed');
    user.told.length = 0;
    user.send({ text: 'Eve.md' });
    await user.hears('confirm');
    user.socket.close();
  });

  it('shows its page', async () => {
    expect(await (await fetch(url)).text()).toContain('<title>Chat</title>');
  });
});
