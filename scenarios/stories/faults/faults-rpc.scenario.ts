import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { takes: 10 } };
const documents = ['dpe://fs/1'];

scenario('an answer that comes after the time-out is dropped, and the next call is answered', (s) => {
  ready(s, { tools, faults: [{ fault: 'rpc.late', ms: 300, times: 1 }] });
  const late = s.settled(s.call('read', { timeoutMs: 150 }));
  const next = s.settled(s.call('read'));
  s.run(300);
  s.expect(late).settles('unknown', { end: 'timedOut' });
  s.expect(next).settles('succeeded');
});

scenario('a late answer within the time-out is an answer', (s) => {
  ready(s, { tools, faults: [{ fault: 'rpc.late', ms: 300 }] });
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: 310 });
});

scenario('a protocol error is a failed call that says what the server said', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'rpc.error', code: -32_042, message: 'no such file' }] });
  s.expect(s.settled(s.call('read'))).settles('failed', {
    end: 'failed',
    code: 4003,
    says: 'no such file',
    details: { code: -32_042 },
  });
  s.expect(fs).is('ready');
});

scenario('a list of tools that is refused leaves what else its server has, and a call says why', (s) => {
  const fs = ready(s, { tools, resources: documents });
  s.fault(fs, 'rpc.error', { when: 'list', message: 'no list today', times: 1 });
  s.timing({ relistMs: 100 });
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 4001 });
  s.expect(fs).visits('connecting', 'ready');
  s.asked(fs, 'tools/list', 2);
  s.run(100);
  s.expect.tools('+read');
});

scenario('a list of tools that never comes leaves what else its server has', (s) => {
  const fs = ready(s, { tools, resources: documents, faults: [{ fault: 'rpc.never', when: 'list' }] });
  s.timing({ listMs: 300 });
  s.expect(s.shown(s.show('finder'))).shows({ uris: ['dpe://fs/1'], missing: [] });
  s.expect(fs).is('ready');
});

scenario("a tool's own isError is a failed call with the tool's own words", (s) => {
  ready(s, { tools, faults: [{ fault: 'rpc.isError', text: 'the disk is full' }] });
  s.expect(s.settled(s.call('read'))).settles('failed', {
    end: 'failed',
    result: { isError: true, content: [{ type: 'text', text: 'the disk is full' }] },
  });
});

scenario('an answer under an id that nobody asked with answers nobody', (s) => {
  ready(s, { tools, faults: [{ fault: 'rpc.unknownId', times: 1 }] });
  const [lost, next] = [s.call('read', { timeoutMs: 250 }), s.call('read')];
  s.settled(lost, next);
  s.expect(lost).settles('unknown', { end: 'timedOut' });
  s.expect(next).settles('succeeded');
});

for (const [what, word, options] of [
  ['a result that is no object is one all the same', 'rpc.wrongType', { of: 'result' }],
  ['a result whose content is no list is one all the same', 'rpc.schemaMismatch', {}],
  ['a call whose answer has its id as text is answered all the same', 'rpc.wrongType', { of: 'id' }],
  [
    'a call whose answer calls itself another JSON-RPC is answered all the same',
    'rpc.wrongType',
    { of: 'jsonrpc' },
  ],
  [
    'an initialize whose answer has its id as text is answered all the same',
    'rpc.wrongType',
    { of: 'id', when: 'initialize' },
  ],
  [
    'an initialize whose answer calls itself another JSON-RPC is answered all the same',
    'rpc.wrongType',
    { of: 'jsonrpc', when: 'initialize' },
  ],
] as const)
  scenario(what, (s) => {
    const fs = ready(s, { tools });
    s.fault(fs, word, options);
    s.expect(s.settled(s.call('read'))).settles('succeeded');
    s.expect(fs).visits('connecting', 'ready');
  });

const large = 12 * 1024 * 1024;
for (const [what, word, options, says] of [
  [
    'a first list of tools that is refused is a failed try that says why',
    'rpc.error',
    { when: 'list', message: 'no list today' },
    'no list today',
  ],
  [
    'an initialize without what MCP demands is a failed try',
    'rpc.schemaMismatch',
    { when: 'initialize' },
    '',
  ],
  ['a list without what MCP demands is a failed try', 'rpc.schemaMismatch', { when: 'list' }, ''],
  [
    'an initialize that has no object for a result is a failed try, and says so',
    'rpc.wrongType',
    { of: 'result', when: 'initialize' },
    'initialize: its result is missing, or no object',
  ],
  ['a list of tools above the limit is a failed try', 'rpc.hugeResult', { when: 'list', bytes: large }, ''],
] as const)
  scenario(what, (s) => {
    const fs = ready(s, { tools, budget: 0 });
    s.fault(fs, word, options);
    s.expect(fs).visits('connecting', 'recovering', 'open');
    s.expect(fs).says(says);
    s.expect(fs).signals('stdin');
    s.expect.tools();
  });

scenario('answers that come in reverse each reach their own caller', (s) => {
  ready(s, { tools: { read: {}, write: {} }, faults: [{ fault: 'rpc.reorder', ms: 400 }] });
  const [read, write] = [s.call('read'), s.call('write')];
  s.settled(read, write);
  s.expect(read).settles('succeeded', { result: { content: [{ text: 'read' }] } });
  s.expect(write).settles('succeeded', { result: { content: [{ text: 'write' }] } });
});

scenario('an answer that comes because of the cancel does not undo it', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'rpc.answerAfterCancel' }] });
  const call = s.call('read');
  s.run(50);
  s.cancel(call);
  s.settled(call);
  s.run(100);
  s.expect(call).settles('unknown', { end: 'cancelled' });
  s.expect(fs).requests('notifications/cancelled', 1);
  s.expect(fs).is('ready');
});

scenario('a server that ignores a cancel does not hold up the one who cancelled', (s) => {
  const fs = ready(s, { tools: { read: { takes: 200 } }, faults: [{ fault: 'rpc.cancelIgnored' }] });
  const call = s.call('read');
  s.cancel(call);
  s.settled(call);
  s.run(300);
  s.expect(call).settles('unknown', { end: 'cancelled', at: 0 });
  s.expect(fs).is('ready');
});

scenario('a call whose server falls silent after some progress ends with its limit on silence', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'rpc.progressStall', n: 3, everyMs: 100 }] });
  s.timing({ callIdleMs: 300 });
  s.expect(s.settled(s.call('read', { timeoutMs: 5_000 }))).settles('unknown', {
    end: 'timedOut',
    code: 'ToolExecutionTimeout',
    details: { timeout: 300, which: 'idle', server_name: 'fs', tool_name: 'read' },
    at: 600,
  });
  s.expect(fs).requests('notifications/cancelled', 1);
  s.expect(fs).is('ready');
});

scenario('a call with progress for ever ends with its own limit, however short that on silence is', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'rpc.progressForever', everyMs: 100 }] });
  s.timing({ callIdleMs: 3_000 });
  s.expect(s.settled(s.call('read', { timeoutMs: 5_000 }))).settles('unknown', {
    end: 'timedOut',
    details: { timeout: 5_000, which: 'caller' },
    at: 5_000,
  });
  s.expect(fs).is('ready');
});

scenario('what came of a call whose result is above the limit is unknown, and nothing else is lost', (s) => {
  const fs = ready(s, { tools: { read: {}, huge: {} } });
  s.fault(fs, 'rpc.hugeResult', { tool: 'huge', bytes: large });
  const [huge, read] = [s.call('huge'), s.call('read')];
  s.settled(huge, read);
  s.expect(huge).settles('unknown', { code: 413 });
  s.expect(read).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
});
