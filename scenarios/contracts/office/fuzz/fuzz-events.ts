import fc from 'fast-check';
import { events, notices } from '../../../../machines/protocol/protocol.ts';

export const witnessed = { office: 'witness', computer: 'honest', agent: 'watcher' } as const;
/** In all generated texts, so that one is recognized wherever it is received. */
export const mark = 'FUZZ';

export const offices = ['f0', 'f1', witnessed.office, `office:${witnessed.office}`, '/smcp', '', '__proto__'];
const names = [
  'c0',
  'c1',
  'a0',
  witnessed.computer,
  witnessed.agent,
  'constructor',
  `${mark} 
 \u0000\u202e`,
];
const anything = fc.anything({
  maxDepth: 3,
  maxKeys: 6,
  withNullPrototype: true,
  withTypedArray: true,
  withUnicodeString: true,
});
const marked = fc.string({ maxLength: 20, unit: 'binary' }).map((text) => `${mark}${text}`);
const text = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...offices), marked);
const oneOf = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: good },
    { weight: 1, arbitrary: anything },
    { weight: 1, arbitrary: text },
  );
const payload = fc.record(
  {
    agent: oneOf(fc.constantFrom('a0', 'a1', witnessed.agent)),
    computer: oneOf(fc.constantFrom('c0', 'c1', witnessed.computer)),
    req_id: oneOf(fc.uuid()),
    office_id: oneOf(fc.constantFrom(...offices)),
    role: oneOf(fc.constantFrom('agent', 'computer')),
    name: oneOf(fc.constantFrom(...names)),
    tool_name: oneOf(fc.constant('t')),
    params: oneOf(fc.dictionary(text, anything, { maxKeys: 4 })),
    // In seconds, so that a request without an answer ends.
    timeout: oneOf(fc.constantFrom(1, 2)),
    uri: oneOf(fc.constantFrom('window://a/1', 'dpe://a/b')),
    blob_handle: text,
    chunk_offset: oneOf(fc.integer()),
  },
  { requiredKeys: [] },
);
const known = [...Object.values(events), ...Object.values(notices)];
/** Reserved by Socket.IO: its client cannot send them. */
const reserved = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener',
  'removeListener',
]);
const event = fc
  .oneof(
    { weight: 12, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom('client:', 'client:new', '__proto__', 'toString', '', ':') },
    { weight: 1, arbitrary: fc.string({ maxLength: 100, unit: 'binary' }) },
  )
  .filter((name) => !reserved.has(name));
export interface Sent {
  readonly event: string;
  readonly args: readonly unknown[];
}
const args = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(payload) },
  { weight: 1, arbitrary: fc.array(anything, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(payload, anything) },
);
const sent: fc.Arbitrary<Sent> = fc.record({ event, args });
const answer = fc.oneof(anything, fc.record({ content: anything, isError: anything, meta: anything }));

const frames = [
  ...['2', '3', '1', '6', '0', '5', '40/smcp,', '41/smcp,', '40', '41', '44/smcp,{"message":"x"}'],
  '40/smcp,{"token":"sender"}',
  '42/smcp,1["server:join_office",{"office_id":"f0","role":"agent","name":"a0"}]',
  '42/smcp,2["client:tool_call",{"agent":"a0","req_id":"r","computer":"c0","tool_name":"t","params":{},"timeout":1}]',
  '42/smcp,["server:update_desktop",{"computer":"c0"}]',
  '42/smcp,3["server:list_room",{"agent":"a0","req_id":"r","office_id":"witness"}]',
  '43/smcp,1[{"content":[]}]',
  '43/smcp,99999999999999999999[null]',
  '451-/smcp,4["client:put_blob",{"data":{"_placeholder":true,"num":0}}]',
  '459999999-/smcp,4["x",{"_placeholder":true,"num":9999999}]',
  '42/smcp,5["notify:leave_office",{"office_id":"witness","computer":"honest"}]',
  '42["x"]',
  `42/smcp,6${'['.repeat(5_000)}`,
  `42/smcp,7["client:get_tools",${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}]`,
];
interface Edit {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(200),
  cut: fc.nat(4),
  put: fc.string({ maxLength: 4, unit: 'binary' }),
});
const edited = (whole: string, edits: readonly Edit[]): string =>
  edits.reduce((now, { at, cut, put }) => {
    const place = at % (now.length + 1);
    return now.slice(0, place) + put + now.slice(place + cut);
  }, whole);
const frame: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...frames), fc.array(edit, { maxLength: 3 }))
      .map(([w, e]) => edited(w, e)),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 60, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);
const head = 'Host: 127.0.0.1\r\n';
const requests = [
  `GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\n${head}\r\n`,
  `POST /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n40/smcp,{}`,
  `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u0081\u0082\u0000\u0000\u0000\u000040`,
  `GET /socket.io/?EIO=4&transport=polling&a2c_version=0.2.0&a2c_version=9 HTTP/1.1\r\n${head}\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
];
const bytes = fc
  .tuple(fc.constantFrom(...requests), fc.array(edit, { maxLength: 4 }))
  .map(([whole, edits]) => Buffer.from(edited(whole, edits), 'latin1'));

const drawn = <T>(arbitrary: fc.Arbitrary<T>, seed: number, count: number): T[] =>
  fc.sample(arbitrary, { seed, numRuns: count });
/** The same for the same seed on every machine. */
export const draw = {
  events: (seed: number, count: number): Sent[] => drawn(sent, seed, count),
  answers: (seed: number, count: number): unknown[] => drawn(answer, seed, count),
  frames: (seed: number, count: number): (string | Uint8Array)[] => drawn(frame, seed, count),
  bytes: (seed: number, count: number): Buffer[] => drawn(bytes, seed, count),
} as const;
