/**
 * MCP server for the suite, without any library: `echo`, `image` and `file` (a resource in a result) with the number of
 * bytes asked for, `fail`, `hang`, which writes a file and never answers, a window, and the skill `pack`. With the
 * argument `frail` it has only `die`, which ends it in the middle of the call.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const isFrail = process.argv[2] === 'frail';
const tool = (name, properties) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
});
const tools = isFrail
  ? [tool('die', {})]
  : [
      tool('echo', { text: { type: 'string' } }),
      tool('image', { bytes: { type: 'integer' } }),
      tool('file', { bytes: { type: 'integer' } }),
      tool('fail', {}),
      tool('hang', { file: { type: 'string' } }),
    ];
const base64Of = (length) => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251)).toString('base64');
const fileOf = (bytes) => ({
  uri: 'file:///made.bin',
  mimeType: 'application/octet-stream',
  blob: base64Of(bytes),
});
const doings = {
  echo: ({ text }) => ({ content: [{ type: 'text', text }] }),
  image: ({ bytes }) => ({
    content: [{ type: 'image', mimeType: 'image/png', data: base64Of(bytes) }],
  }),
  file: ({ bytes }) => ({ content: [{ type: 'resource', resource: fileOf(bytes) }] }),
  fail: () => ({ content: [{ type: 'text', text: 'no such thing' }], isError: true }),
  hang: ({ file }) => void writeFileSync(file, ''),
  die: () => process.exit(3),
};
const front = '---\nname: pack\ndescription: Packs a box\n---\n';
const texts = {
  'window://images/main': 'a window',
  'skill://files/pack': '',
  'skill://files/pack/SKILL.md': `${front}Pack it.\n`,
  'skill://files/pack/lists/box.txt': 'a lid',
};
const resources = Object.keys(texts).map((uri) => ({
  uri,
  name: uri,
  ...(uri === 'skill://files/pack' && { _meta: { source: 'resources', version: '1' } }),
}));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, ...(!isFrail && { resources: { subscribe: true } }) },
    serverInfo: { name: 'images', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => doings[name](args),
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: texts[uri] ?? '' }] }),
  'resources/subscribe': () => ({}),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  if (answers[method] && result === undefined) return;
  const body = result ? { result } : { error: { code: -32_601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
