import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { replyTo } from '../../stage/showing.ts';
import { toolsOnly, type Act, type Script } from '../../stage/scripted/script.ts';
import type { Harness } from '../../stage/harness.ts';

const capabilities = { ...toolsOnly, prompts: { listChanged: true } };
const prompting = (act: Act): Script => ({
  info: { capabilities },
  prompts: [{ name: 'window://greet' }],
  methods: { 'prompts/get': act },
});
const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];
const wants = (s: Harness): void => {
  const about = {
    collection: 'desktop',
    ticket: 'p',
    reqId: 'p',
    uri: 'window://greet',
    server: 'a',
    prompt: {},
  };
  s.order('computer', { type: 'resource.wanted', ...about, replyTo });
};
const given = (s: Harness): unknown => s.heard('computer', 'resource.read').at(-1);

scenario(
  'a prompt is what its server fills in',
  { servers: { a: prompting({ answers: { messages }, afterMs: 1 }) } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    wants(s);
    await s.run(100);
    expect(given(s)).toMatchObject({ ticket: 'p', prompt: { messages }, contents: [], failure: null });
  },
);
scenario(
  'a prompt that is no prompt is an error in words',
  { servers: { a: prompting({ answers: { messages: 'hello' }, afterMs: 1 }) } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    wants(s);
    await s.run(100);
    expect(given(s)).toMatchObject({
      contents: [],
      failure: { code: 500, message: expect.stringMatching(/did not answer with a prompt: messages/) },
    });
  },
);
scenario(
  'a prompt that does not come in time is an error',
  { servers: { a: prompting({ answers: { messages }, afterMs: 60_000 }) } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    wants(s);
    await s.run(s.timing.readMs);
    expect(given(s)).toMatchObject({ failure: { code: 408 } });
  },
);
