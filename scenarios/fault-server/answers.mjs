import { distortions, noResource } from './own/own-resources.mjs';
import { pageShapes } from './own/pages.mjs';

export const textResult = (text) => ({ content: [{ type: 'text', text }] });
const withResult = (answer, members) => ({ ...answer, result: { ...answer.result, ...members } });
const lacking = {
  initialize: { capabilities: {} },
  list: { tools: {} },
  call: { content: 'no list' },
  read: { contents: 'no list' },
};
const wrong = {
  result: () => 'no object',
  id: (id) => (typeof id === 'number' ? String(id) : id.length),
  jsonrpc: () => 2,
};
const refused = ({ result: _result, ...answer }, { code, message }) => ({
  ...answer,
  error: { code, message },
});

/** Changes of an answer under each word, in the order in which they are applied. */
const shapes = new Map(
  Object.entries({
    'life.versionMismatch': (answer, { version }) => withResult(answer, { protocolVersion: version }),
    'life.capabilityMissing': (answer, { capability }) => {
      const { [capability]: _missing, ...capabilities } = answer.result.capabilities;
      return withResult(answer, { capabilities });
    },
    ...Object.fromEntries(
      Object.entries(distortions).map(([word, distort]) => [
        word,
        (answer, fault) => withResult(answer, { contents: distort(answer.result.contents, fault) }),
      ]),
    ),
    'resource.gone': (answer) => refused(answer, { code: noResource, message: 'Resource not found' }),
    // From here on the first page is the answer.
    ...pageShapes,
    'rpc.isError': (answer, { text }) => ({ ...answer, result: { ...textResult(text), isError: true } }),
    'rpc.hugeResult': (answer, { when, bytes }) => {
      const huge = 'x'.repeat(bytes);
      if (when === 'call') return { ...answer, result: textResult(huge) };
      const [first = { name: 'huge', inputSchema: { type: 'object' } }, ...rest] = answer.result.tools;
      return withResult(answer, { tools: [{ ...first, description: huge }, ...rest] });
    },
    'rpc.schemaMismatch': (answer, { when }) => ({ ...answer, result: lacking[when] }),
    'life.initError': refused,
    'rpc.error': refused,
    'rpc.wrongType': (answer, { of }) => ({ ...answer, [of]: wrong[of](answer[of]) }),
    'rpc.unknownId': ({ id, ...answer }) => ({
      ...answer,
      id: typeof id === 'number' ? id + 1_000_000_007 : `${id}-unknown`,
    }),
  }),
);
/** Words for when an answer leaves, and whether. */
const others = [
  'life.initNever',
  'life.initSlow',
  'rpc.never',
  'rpc.late',
  'rpc.duplicate',
  'rpc.reorder',
  'rpc.answerAfterCancel',
  'rpc.cancelIgnored',
  'rpc.progressForever',
  'rpc.progressStall',
  'frame.invalidUtf8',
  'frame.partialThenDie',
];
export const answerWords = new Set([...shapes.keys(), ...others]);

/** The line that an answer becomes, without its line break. */
export function lineOf(answer, named) {
  let message = { jsonrpc: '2.0', ...answer };
  for (const [name, shape] of shapes) if (named.has(name)) message = shape(message, named.get(name));
  const line = Buffer.from(JSON.stringify(message));
  if (!named.has('frame.invalidUtf8')) return line;
  // A lead byte without its follower, and a byte that no UTF-8 has.
  const at = line.lastIndexOf('"');
  return Buffer.concat([line.subarray(0, at), Buffer.from([0xc3, 0x28, 0xff]), line.subarray(at)]);
}
