import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../replay/report/page.ts';
import { testFolder } from '../../fixtures/test-folder.ts';
import { compiled, linkedProject } from '../../fixtures/linked-project.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/providers.md'), 'utf8');
const here = testFolder('providers');
const server = fileURLToPath(new URL('../../fixtures/mcp-server.mjs', import.meta.url));
const skills = join(here, 'skills');
const names = [...page.matchAll(/^<!-- (\S+\.ts) -->$/gm)].map(([, name = '']) => name);

beforeAll(() => {
  linkedProject(here, '@types/node', '@anthropic-ai/sdk', 'openai');
  mkdirSync(join(skills, 'greet'), { recursive: true });
  writeFileSync(
    join(skills, 'greet', 'SKILL.md'),
    '---\nname: greet\ndescription: Greets\n---\nSay hello, see words.txt.',
  );
  writeFileSync(join(skills, 'greet', 'words.txt'), 'hello, hi');
  const blocks = blocksOf(page).filter(({ language }) => language === 'ts');
  for (const [n, { text }] of blocks.entries()) writeFileSync(join(here, names[n] ?? `block-${n}.ts`), text);
});

const program = `
  import { createAgent, createComputer, createOffice } from 'a2c-actors';
  import { createConversation, openai } from 'a2c-actors/models';
  import { offered } from './out/skills-offer.js';
  import { answer as asAgent } from './out/agent-loop.js';
  import { answer as asComputer } from './out/computer-loop.js';
  import { ollama } from './out/ollama.js';
  const tell = (name, value) => console.log(JSON.stringify({ [name]: value }));
  const config = { mcpServers: { s: {
    command: process.execPath, args: [${JSON.stringify(server)}, 'echo'], autoApprove: ['all'] } }, a2c: { skills: [${JSON.stringify(skills)}] } };
  const office = await createOffice({ port: 0 });
  const options = { config, stateDir: false, record: false };
  const computer = await createComputer({ name: 'laptop', office: { url: office.url }, ...options });
  const agent = await createAgent({ url: office.url });
  await agent.tools('laptop');

  const gpt = { chat: { completions: { async create({ messages, tools }) {
    const said = messages.filter(({ role }) => role === 'tool');
    if (said.length > 0) return { choices: [{ message: { role: 'assistant', content: JSON.stringify(said) } }] };
    const calls = [['echo', '{"text":"hi"}'], ['none', '{}'], ['echo', '[1]']];
    const tool_calls = calls.map(([name, args], n) =>
      ({ id: 'call_' + n, type: 'function', function: { name, arguments: args } }));
    tell('offered to OpenAI', tools.map((tool) => tool.function.name).includes('echo'));
    return { choices: [{ message: { role: 'assistant', content: null, tool_calls } }] };
  } } } };
  tell('agent', JSON.parse(await asAgent(gpt, agent, 'Echo hi')));

  const claude = { messages: { async create({ messages, tools }) {
    const last = messages.at(-1).content;
    if (Array.isArray(last)) return { content: [{ type: 'text', text: JSON.stringify(last) }] };
    tell('offered to Anthropic', tools.map(({ name }) => name).includes('echo'));
    return { content: [{ type: 'tool_use', id: 'toolu_1', name: 'echo', input: { text: 'hi' } }] };
  } } };
  const [{ text }] = await asComputer(claude, computer, 'Echo hi');
  tell('computer', JSON.parse(text));

  const conversation = createConversation();
  const { definitions } = conversation.offer((await computer.tools()).tools);
  const call = { function: { name: 'echo', arguments: { text: 'hi' } } };
  const read = ollama.fromCall(call, conversation);
  tell('own', [
    ollama.toTools(definitions).some((tool) => tool.function.name === 'echo'),
    read.ok && [read.call.id, read.call.tool, read.call.arguments],
    ollama.toResult(call, { toolCallId: 'call_9', content: 'hi', isError: false }),
  ]);

  const withSkills = createConversation();
  const names = (await offered(withSkills, agent)).map((each) => each.function.name);
  const reads = [{ skill: 'greet' }, { skill: 'greet', path: 'words.txt' }, {}, { skill: 'no' }, { skill: 'greet', path: '../x' }];
  const tool_calls = reads.map((args, n) =>
    ({ id: 'call_' + n, type: 'function', function: { name: 'read_skill', arguments: JSON.stringify(args) } }));
  const turn = await openai.run({ role: 'assistant', content: null, tool_calls }, withSkills, agent);
  tell('skills', [names.includes('read_skill'), ...turn.messages.slice(1).map(({ content }) => content)]);
  await agent.close();
  await computer.close();
  await office.close();`;

describe('docs/providers.md', () => {
  it('has examples that the compiler takes, with the types of the providers', () => {
    expect(names).toEqual(['computer-loop.ts', 'agent-loop.ts', 'skills-offer.ts', 'ollama.ts']);
    expect(compiled(here, names, '--types', 'node')).toBe('');
  });

  it('has loops that call tools for models, tell them what came of it, and a provider that is one of ours', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: here,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([stderr, status]).toEqual(['', 0]);
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(Object.assign({}, ...told)).toEqual({
      'offered to OpenAI': true,
      agent: [
        { role: 'tool', tool_call_id: 'call_0', content: 'hi' },
        { role: 'tool', tool_call_id: 'call_1', content: "Error: Tool 'none' does not exist" },
        {
          role: 'tool',
          tool_call_id: 'call_2',
          content: 'Error: The arguments must be a JSON object; they are a list',
        },
      ],
      'offered to Anthropic': true,
      computer: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'hi' }],
      skills: [
        true,
        'Say hello, see words.txt.',
        'hello, hi',
        '- greet: Greets',
        "Error: There is no skill 'no'",
        "Error: '../x' of skill 'greet' is outside of the skill",
      ],
      own: [true, ['a2c_call_1', 'echo', { text: 'hi' }], { role: 'tool', tool_name: 'echo', content: 'hi' }],
    });
  });
});
