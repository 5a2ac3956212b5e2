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
const noPrompt = expect.stringMatching(/did not answer with a prompt: messages/) as unknown;
for (const [what, answer, afterMs, is] of [
  ['is what its server fills in', { messages }, 1, { ticket: 'p', prompt: { messages }, failure: null }],
  [
    'that is no prompt is an error in words',
    { messages: 'hello' },
    1,
    { failure: { code: 500, message: noPrompt } },
  ],
  ['that does not come in time is an error', { messages }, 60_000, { failure: { code: 408 } }],
] as const)
  scenario(`a prompt ${what}`, { servers: { a: prompting({ answers: answer, afterMs }) } }, async (s) => {
    s.computer();
    await s.run(2_000);
    wants(s);
    await s.run(s.timing.readMs);
    expect(s.heard('computer', 'resource.read')).toMatchObject([{ contents: [], ...is }]);
  });
