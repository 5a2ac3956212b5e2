import { describe, expect, it } from 'vitest';
import { readConfig, readContents, readDesktop, readFinder, readRoom, readTools } from './lists.ts';

const document = {
  doc_ref: 'a.pdf',
  uri: 'dpe://h/a.pdf',
  file_uri: 'file:///a.pdf',
  file_type: 'pdf',
  title: 'A',
  page_count: 3,
  server: 'docs',
};
const stdio = { type: 'stdio', name: 'fs', server_parameters: { command: 'x', args: [], env: null } };
const replies = [
  ['get_tools', readTools, { tools: [], req_id: 'r' }],
  ['list_room', readRoom, { sessions: [], req_id: 'r' }],
  ['get_desktop', readDesktop, { desktops: ['window://h/a\n\nbody'], req_id: 'r' }],
  ['get_finder', readFinder, { documents: [document], total_count: 7, req_id: 'r' }],
  ['read_resource', readContents, { contents: [{ uri: 'dpe://h', text: '{}' }], req_id: 'r' }],
] as const;

describe.each(replies)('the reply of %s', (_, read, reply) => {
  it('is read as it came, with keys that we do not know', () => {
    for (const ack of [reply, { ...reply, more: 1 }, { Ok: reply }]) expect(read(ack, 'r').ok).toBe(true);
  });
  it('is refused when it is for another question', () => {
    for (const ack of [
      { ...reply, req_id: 'other' },
      { ...reply, req_id: undefined },
    ])
      expect(read(ack, 'r')).toMatchObject({ ok: false, failure: { code: 500 } });
  });
  it('is refused in another shape, and an error stays what it is', () => {
    for (const ack of ['text', [], 1, { req_id: 'r' }])
      expect(read(ack, 'r')).toMatchObject({ ok: false, failure: { code: 500 } });
    expect(read({ error: { code: 404, message: 'gone' } }, 'r')).toMatchObject({ failure: { code: 404 } });
    expect(read(undefined, 'r')).toMatchObject({ failure: { code: 501 } });
  });
});

describe('the reply of get_config', () => {
  it('has no req_id, and may lack inputs', () => {
    const whole = {
      servers: { fs: stdio },
      inputs: [{ type: 'promptString', id: 'k', description: '', default: null }],
    };
    expect(readConfig(whole)).toEqual({ ok: true, body: whole });
    expect(readConfig({ servers: {} })).toMatchObject({ ok: true });
  });
  it('is not readable as Rust writes it, a list of servers', () => {
    expect(readConfig({ servers: [['fs', true, 'running']] })).toMatchObject({ ok: false });
  });
});
