import { expect, test } from 'vitest';
import { factLine, type Fact } from './facts.ts';

const samples: Fact[] = [
  { type: 'office', url: 'http://127.0.0.1:3000', office: 'local', name: 'c1' },
  { type: 'server_status', name: 'fs', state: 'waiting', reason: 'exit code 1' },
  { type: 'tool_list_changed', added: ['read'], removed: [], changed: ['write'] },
  {
    type: 'tool_call_result',
    req_id: 'r1',
    server: 'fs',
    tool: 'read',
    outcome: 'succeeded',
    result: { content: [{ type: 'text', text: 'two\nlines' }] },
  },
  {
    type: 'call_progress',
    req_id: 'r1',
    server: 'fs',
    tool: 'read',
    progress: 3,
    total: 10,
    message: 'step 3',
  },
  { type: 'desktop', desktops: ['window://h/a\n\nsaid'], missing: [{ server: 'w', reason: 'it is down' }] },
  {
    type: 'finder',
    documents: [{ doc_ref: 'a b.md', uri: 'dpe://h/a%20b.md', server: 'docs', title: 'A' }],
    total_count: 1,
    missing: [],
  },
  { type: 'resource', uri: 'note://a', contents: [{ uri: 'note://a', text: 'x' }] },
  { type: 'inputs_loaded', count: 0 },
  { type: 'error', code: 4001, message: 'no such tool' },
  { type: 'answer', command: 'trace', value: '/tmp/x.trace.ndjson' },
];

test.each(samples)('a fact of type $type is one line of JSON behind a mark', (sample) => {
  const line = factLine(sample);
  expect(line).toMatch(/^@a2c \{"type":"/);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line.slice('@a2c '.length))).toEqual(sample);
});
