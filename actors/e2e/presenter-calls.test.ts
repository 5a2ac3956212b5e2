import { expect, it } from 'vitest';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import type { Presenter } from '../presenter/index.ts';
import { presenting } from '../../scenarios/fixtures/presenting.ts';

/** Calls `echo` in a conversation, under an id that all of them use. */
async function echoed(presenter: Presenter, who: string, text: string) {
  const conversation = presenter.conversation(who);
  const all = await conversation.getAllToolDefinitions();
  const echo = all.find(({ target }) => target.tool === 'echo');
  if (!echo) throw new Error('echo is not offered');
  const called = { name: echo.function.name, arguments: JSON.stringify({ text, message: text }) };
  return conversation.callTool({ id: 'call_0', type: 'function', server: echo.server, function: called });
}

it('two conversations whose models give the same id have a call each, and each result bears that id', async () => {
  const host = await presenting({ mcpServers: { a: launched(crypto.randomUUID(), 'echo') } });
  const { presenter, until, of } = host;
  presenter.on('mcp:tool-call-result', () => {});
  await presenter.initialize();
  await until(() => presenter.isServerRunning('a'));
  const said = (who: string) => echoed(presenter, who, who);
  const answers = await Promise.all([said('alice'), said('bob')]);
  expect(answers.map(({ rawData }) => [rawData.toolCallId, rawData.isError])).toEqual([
    ['call_0', false],
    ['call_0', false],
  ]);
  expect(answers.map(({ content }) => content)).toEqual([
    expect.stringContaining('alice'),
    expect.stringContaining('bob'),
  ]);
  await until(() => of('mcp:tool-call-result').length === 2);
  expect(of('mcp:tool-call-result').map(({ toolCallId }) => toolCallId)).toEqual(['call_0', 'call_0']);
  await host.end();
});

it('what a person allows for the session is allowed to the conversation that was asked about, and to no other', async () => {
  const asked: string[] = [];
  const confirm = ({ arguments: { text } }: { readonly arguments: Readonly<Record<string, unknown>> }) => {
    asked.push(String(text));
    return 'allowForSession' as const;
  };
  const servers = { a: launched(crypto.randomUUID(), 'echo', { autoApprove: [] }) };
  const host = await presenting({ mcpServers: servers }, { confirm });
  const { presenter, until } = host;
  await presenter.initialize();
  await until(() => presenter.isServerRunning('a'));
  for (const text of ['alice', 'alice again', 'bob', 'bob again', 'alice later']) {
    const answer = await echoed(presenter, text.split(' ')[0] ?? '', text);
    expect(answer.rawData.isError).toBe(false);
  }
  for (const text of ['host', 'host again']) await presenter.computer.callTool('echo', { text });
  expect(asked).toEqual(['alice', 'bob', 'host']);
  await host.end();
});
