// A chat backend: each browser is a user with a conversation of its own, and confirms its own calls.
//
//   npm install && ANTHROPIC_API_KEY=… npm start [FOLDER]        then open http://127.0.0.1:8080
//
// One computer serves all users. `context` says whose call it is, and comes back in every question.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { createComputer } from 'a2c-actors';
import { anthropic, createConversation } from 'a2c-actors/models';
import express from 'express';
import { WebSocketServer } from 'ws';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const model = process.env.ANTHROPIC_MODEL ?? 'claude-sonnet-5-5';
const folder = process.argv[2] ?? '.';
const mostSteps = 20;
const client = new Anthropic();

/** A browser that is connected. */
class User {
  messages = [];
  conversation = createConversation();
  /** Aborts what the user waits for: with a stop, or when the browser is gone. */
  running = new AbortController();
  questions = new Map();
  constructor(socket) {
    this.socket = socket;
  }
  tell(message) {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }
  /** Asks whether a call may run. Resolves with the answer; the question is withdrawn with its signal. */
  confirm({ reqId, tool, arguments: given, signal }) {
    return new Promise((resolve) => {
      this.questions.set(reqId, resolve);
      signal.addEventListener('abort', () => this.tell({ type: 'withdrawn', id: reqId }));
      this.tell({ type: 'confirm', id: reqId, tool, arguments: given });
    });
  }
  answer({ id, allow, reason }) {
    this.questions.get(id)?.(allow ? 'allow' : { decision: 'deny', reason });
    this.questions.delete(id);
  }
}

const computer = await createComputer({
  config: {
    mcpServers: { files: { command: 'npx', args: ['-p', 'a2c-actors', 'a2c', 'documents', folder] } },
  },
  confirm: (question) => question.context.confirm(question),
  onNotice: (text) => console.warn(text),
});

await computer.servers.start('files'); // resolves when it is ready

/** Asks the model until it calls no tool any more. */
async function answer(user, text) {
  user.running = new AbortController();
  const { signal } = user.running;
  user.messages.push({ role: 'user', content: text });
  for (let step = 0; step < mostSteps; step += 1) {
    // Asked for each step: servers come and go.
    const { definitions } = user.conversation.offer((await computer.tools()).tools);
    const request = {
      model,
      max_tokens: 4096,
      messages: user.messages,
      tools: anthropic.toTools(definitions),
    };
    const message = await client.messages.create(request, { signal });
    const turn = await anthropic.run(message, user.conversation, computer, {
      signal,
      context: user,
      onProgress: ({ call, progress, total }) =>
        user.tell({ type: 'progress', tool: call.name, progress, total }),
    });
    user.messages.push(...turn.messages);
    for (const block of message.content)
      if (block.type === 'text') user.tell({ type: 'text', text: block.text });
    for (const { name, outcome } of turn.calls) user.tell({ type: 'called', tool: name, outcome });
    if (turn.calls.length === 0) return user.tell({ type: 'done' });
  }
  user.tell({ type: 'failed', message: `I called tools ${mostSteps} times, and stop here.` });
}

const app = express();
app.get('/', (_request, response) => response.sendFile(here('page.html')));
const http = createServer(app);
const sockets = new WebSocketServer({ server: http, maxPayload: 100_000 });
sockets.on('connection', (socket) => {
  const user = new User(socket);
  let last = Promise.resolve();
  socket.on('message', (/** @type {Buffer} */ data) => {
    let message;
    try {
      message = JSON.parse(data.toString());
    } catch {
      return user.tell({ type: 'failed', message: 'This is no JSON' });
    }
    if (message?.type === 'confirmed') user.answer(message);
    else if (message?.type === 'stop') user.running.abort(new Error('The user stopped it'));
    else if (typeof message?.text === 'string') {
      // One after the other: a conversation has one end.
      last = last
        .then(() => answer(user, message.text))
        .catch((error) => user.tell({ type: 'failed', message: error.message }));
    }
  });
  socket.on('close', () => user.running.abort(new Error('The browser is gone')));
});
http.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${http.address().port}`),
);

for (const name of ['SIGINT', 'SIGTERM'])
  process.once(name, () => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
    void computer.close();
  });
