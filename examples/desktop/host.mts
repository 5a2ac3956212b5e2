/**
 * A desktop application with a chat, reduced to what it does with MCP servers: it imports them, shows them in a tray, asks for
 * their inputs and for permission to run tools, and lets a model call them. Its windows are lines at the terminal.
 *
 *   node --import tsx examples/desktop/host.mts [FILE [IMPORT]]
 *
 * FILE is its config, `mcp.json` by default. IMPORT is a file, an application such as `cursor`, or a link, whose servers it
 * takes over. With OPENAI_API_KEY the model is one of OpenAI; without it is a script (scripted-model.mts).
 *
 * To begin a project with it, copy this folder, and in it: npm install a2c-actors openai tsx
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import OpenAI from 'openai';
import { planImport } from 'a2c-actors/applications';
import { createPresenter, MCP_EVENTS, type Presenter } from 'a2c-actors/presenter';
import { scriptedModel } from './scripted-model.mts';

/** One window at a time. Each ends with its answer, by its `signal`, or with the terminal. */
class Windows {
  #isMuted = false;
  readonly #closed = new AbortController();
  readonly #lines = createInterface({
    input: process.stdin,
    output: new Writable({
      write: (text: Buffer, _encoding, done) => {
        if (!this.#isMuted) process.stdout.write(text);
        done();
      },
    }),
    terminal: process.stdin.isTTY,
  });
  #last: Promise<unknown> = Promise.resolve();
  #chat: AbortController | undefined;

  constructor() {
    // Ctrl-C, Ctrl-D, or the end of what is piped in.
    this.#lines.on('close', () => this.#closed.abort());
  }
  /** Rejects when it is withdrawn. What is typed into a `secret` one is not shown. */
  open(
    text: string,
    { secret = false, signal }: { secret?: boolean; signal?: AbortSignal } = {},
  ): Promise<string> {
    // The line of the chat makes room.
    this.#chat?.abort();
    return this.#ask(text, secret, signal);
  }
  /** What the user says; undefined: nothing any more. */
  async chat(): Promise<string | undefined> {
    while (!this.#closed.signal.aborted) {
      this.#chat = new AbortController();
      try {
        return await this.#ask('You: ', false, this.#chat.signal);
      } catch {
        // Asked again after the window that came.
      }
    }
    return undefined;
  }
  close(): void {
    this.#lines.close();
  }
  #ask(text: string, isSecret: boolean, signal: AbortSignal | undefined): Promise<string> {
    const ended = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
    const asked = this.#last.then(async () => {
      process.stdout.write(text);
      this.#isMuted = isSecret;
      try {
        return await this.#lines.question('', { signal: ended });
      } finally {
        this.#isMuted = false;
        if (isSecret || ended.aborted) process.stdout.write('\n');
      }
    });
    this.#last = asked.catch(() => {});
    return asked;
  }
}

async function importWindow(windows: Windows, file: string, from: string): Promise<void> {
  const plan = await planImport({ from, file });
  for (const { servers, left } of plan.sources) {
    for (const { outcome, name, runs, why, ...said } of servers) {
      console.log(`import  ${outcome}: ${name} ${why ?? runs}`);
      for (const text of [...said.changed, ...said.left]) console.log(`import    ${text}`);
    }
    for (const text of left) console.log(`import  ${text}`);
  }
  const asked = windows.open(`Take over ${plan.count} servers into ${plan.file}? [y/n] `);
  // The end of the input takes nothing over.
  const answer = await asked.catch(() => 'n');
  if (answer === 'y') await plan.write();
}

/** One line for all servers, whenever it is another. */
function showTray(presenter: Presenter): void {
  let shown = '';
  const show = (): void => {
    const servers = presenter.computer.status().servers.map(({ name, state }) => `${name} ${state}`);
    const tray = `tray    ${servers.join(', ') || 'no servers'}`;
    if (tray !== shown) console.log((shown = tray));
  };
  presenter.on(MCP_EVENTS.SERVER_STATUS_CHANGED, show);
  presenter.on(MCP_EVENTS.CONFIG_CHANGED, show);
  presenter.on('notification', ({ title, message, remedy }) =>
    console.log(`notice  ${title}: ${message}${remedy === undefined ? '' : ` (${remedy})`}`),
  );
  show();
}

/** The model is asked until it calls no tool any more. */
async function answered(
  client: OpenAI,
  presenter: Presenter,
  messages: OpenAI.ChatCompletionMessageParam[],
): Promise<string> {
  for (let turn = 0; turn < 20; turn += 1) {
    // For each turn: servers come and go.
    const tools = presenter.mcpToolsToOpenAITools(await presenter.getAllToolDefinitions());
    const { choices } = await client.chat.completions.create({
      model: process.env['OPENAI_MODEL'] ?? 'gpt-5',
      messages,
      // An empty list is refused.
      ...(tools.length > 0 && { tools: [...tools] }),
    });
    const message = choices[0]?.message;
    if (!message) return '';
    messages.push(message);
    if (!message.tool_calls) return message.content ?? '';
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue;
      const wanted = presenter.openAIToolsToMcpTool(call);
      const content = wanted
        ? (await presenter.callTool(wanted)).content
        : `there is no tool '${call.function.name}'`;
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
  return 'I called tools twenty times, and stop here.';
}

const [file = 'mcp.json', from] = process.argv.slice(2);
const apiKey = process.env['OPENAI_API_KEY'];
const windows = new Windows();
if (from !== undefined) await importWindow(windows, file, from);

// Closed in the reverse order: the servers first, then the model.
const model = apiKey === undefined ? await scriptedModel() : undefined;
const client = new OpenAI(model ? { baseURL: model.url, apiKey: 'none' } : { apiKey });
const presenter = await createPresenter({
  file,
  input: ({ signal, ...input }) => {
    const secret = input.type === 'promptString' && input.password;
    return windows.open(`${input.description} (${input.id}): `, { secret, signal });
  },
  confirm: async ({ server, title, arguments: given, signal }) => {
    const answer = await windows.open(`Run ${title} of ${server} with ${JSON.stringify(given)}? [y/n] `, {
      signal,
    });
    return answer === 'y' ? 'allow' : 'deny';
  },
});
try {
  showTray(presenter);
  await presenter.initialize();
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  for (let said = await windows.chat(); said !== undefined; said = await windows.chat()) {
    if (said.trim() === '') continue;
    messages.push({ role: 'user', content: said });
    console.log(`Model: ${await answered(client, presenter, messages)}`);
  }
} finally {
  windows.close();
  await presenter.close();
  model?.close();
}
