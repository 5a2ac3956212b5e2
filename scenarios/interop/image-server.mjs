/**
 * MCP server for the suite: `echo`, `image` and `file` (a resource in a result) with the number of
 * bytes asked for, `fail`, `hang`, which writes a file and never answers, a window, and the skill `pack`. With the
 * argument `frail` it has only `die`, which ends it in the middle of the call.
 */
import { writeFileSync } from 'node:fs';
import { serveOverStdio, textResult } from '../fixtures/stdio-server.mjs';

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
  echo: ({ text }) => textResult(text),
  image: ({ bytes }) => ({
    content: [{ type: 'image', mimeType: 'image/png', data: base64Of(bytes) }],
  }),
  file: ({ bytes }) => ({ content: [{ type: 'resource', resource: fileOf(bytes) }] }),
  fail: () => ({ ...textResult('no such thing'), isError: true }),
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
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => doings[name](args),
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: texts[uri] ?? '' }] }),
  'resources/subscribe': () => ({}),
};
serveOverStdio('images', { tools: {}, ...(!isFrail && { resources: { subscribe: true } }) }, answers);
