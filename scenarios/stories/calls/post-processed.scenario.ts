import { scenario, type Scene } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const text = 'x'.repeat(3_000);
const large = { content: [{ type: 'text', text }] };
const promised = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
const program = (s: Scene): void =>
  s.virtualOnly(
    'what programs do has a contract of its own with the real ones, each of whose threads loads for long',
  );

scenario('a result that breaks its output schema is given, with what differs beside it', (s) => {
  const answers = { content: [], structuredContent: { n: 'seven' } };
  const cached = { content: [], structuredContent: { n: 7 } };
  ready(s, {
    tools: {
      wrong: { outputSchema: promised, answers },
      none: { outputSchema: promised, answers: { content: [] } },
      right: { outputSchema: promised, answers: cached },
      failed: { outputSchema: promised, answers: { content: [], isError: true } },
    },
  });
  const [wrong, none] = [s.call('wrong'), s.call('none')];
  const [right, failed] = [s.call('right'), s.call('failed')];
  s.settled(wrong, none, right, failed);
  s.expect(wrong).settles('succeeded', {
    result: { ...answers, meta: { a2c_output_mismatch: ['n: must be number'] } },
  });
  s.expect(none).settles('succeeded', {
    result: { meta: { a2c_output_mismatch: ['structuredContent is missing'] } },
  });
  s.expect(right).settles('succeeded', { result: cached });
  s.expect(failed).settles('failed', { end: 'failed', result: { isError: true } });
});

scenario('a result with more bytes than it may have is cut, also where its tool says it failed', (s) => {
  ready(s, {
    tools: { read: { answers: large }, fail: { answers: { ...large, isError: true } } },
    resultBytes: 1_000,
  });
  const [read, fail] = [s.call('read'), s.call('fail')];
  s.settled(read, fail);
  s.expect(read).settles('succeeded', {
    result: { meta: { a2c_cut: { limit_bytes: 1_000, handle: 'fs/call1' } } },
  });
  s.expect(fail).settles('failed', {
    end: 'failed',
    result: { isError: true, meta: { a2c_cut: { handle: 'fs/call2' } } },
  });
});

const warns = (text: string): object => ({ result: { meta: { a2c_warnings: [text] } } });
for (const [what, works, settles] of [
  [
    'what the program of a server makes of a result stands beside it',
    'works',
    { result: { content: [{ text: 'read' }] } },
  ],
  [
    'a program that gives up leaves the result as it came, with a warning',
    'fails',
    warns('the program gave up'),
  ],
  [
    'a program that does not end is ended, and the result is given as it came',
    'hangs',
    { ...warns('The program did not end within 400 ms'), at: 401 },
  ],
] as const)
  scenario(what, (s) => {
    s.server('fs', { tools: { read: {} }, program: works });
    program(s);
    s.timing({ vrlMs: 400 });
    s.ready();
    s.expect(s.settled(s.call('read'))).settles('succeeded', settles);
  });

scenario('looking at a result takes no longer than it may, however many wait for their program', (s) => {
  s.server('fs', { tools: { read: {} }, program: 'hangs' });
  program(s);
  s.timing({ vrlMs: 5_000, lookMs: 300 });
  s.ready();
  const [first, second] = [s.call('read'), s.call('read')];
  s.settled(first, second);
  const warned = { meta: { a2c_warnings: ['The result was not post-processed: that took too long'] } };
  s.expect(first).settles('succeeded', { result: warned, at: 301 });
  s.expect(second).settles('succeeded', { result: warned, at: 301 });
});

scenario('a call that is cancelled when its answer is here is not taken back: the answer is given', (s) => {
  const fs = s.server('fs', { tools: { read: {} }, program: 'hangs' });
  program(s);
  s.ready();
  const call = s.call('read');
  s.run(50);
  s.cancel(call);
  s.expect(s.settled(call)).settles('succeeded', {
    result: { meta: { a2c_warnings: ['The result was not post-processed: it was cancelled then'] } },
    at: 50,
  });
  s.expect(fs).requests('notifications/cancelled', 0);
});

scenario('a server that dies when its answer is here: the answer is post-processed and given', (s) => {
  const fs = s.server('fs', { tools: { read: {} }, program: 'hangs' });
  program(s);
  s.timing({ vrlMs: 1_000 });
  s.ready();
  const call = s.call('read');
  s.run(50);
  s.kill(fs);
  s.reaches(fs, 'ready');
  s.expect(call).waits();
  s.expect(s.settled(call)).settles('succeeded', { at: 1_001 });
});

scenario('a computer that closes while an answer is post-processed gives it first', (s) => {
  s.server('fs', { tools: { read: {} }, program: 'hangs' });
  program(s);
  s.timing({ drainMs: 100 });
  s.ready();
  const call = s.call('read');
  s.run(50);
  s.close();
  s.expect(s.settled(call)).settles('succeeded');
  s.ended();
});
