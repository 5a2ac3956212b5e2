import { describe, expect, it } from 'vitest';
import { overLimit } from '../../machines/office/rooms/limits.ts';
import { measure, mostLevels } from '../../machines/protocol/json.ts';
import { answerRead, unreadIn } from '../connections/office-wire.ts';
import { LevelDecoder } from './levels.ts';

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const strange = `"\\\\","${'[{:'.repeat(mostLevels)}","\\"${'['.repeat(mostLevels)}\\\\\\""`;
/** Decodes a packet of a peer who may send messages up to this weight. */
const decoded = (text: string, most = Infinity): { readonly packet: unknown; readonly weighed: number } => {
  const decoder = new LevelDecoder();
  let [packet, weighed]: [unknown, number] = [undefined, 0];
  decoder.charge = (weight) => {
    weighed += weight;
    return weight > most ? overLimit('eventsPerSocket', { perSecond: most, burst: most }, 1) : undefined;
  };
  decoder.on('decoded', (one) => (packet = one));
  decoder.add(text);
  return { packet, weighed };
};

describe('a text', () => {
  it.each<[what: string, text: string, values: number, deep?: 'too deep']>([
    ['as many levels as are carried', `[${lists(mostLevels)}]`, mostLevels + 1],
    ['too many lists', lists(mostLevels + 9), mostLevels + 3, 'too deep'],
    ['too many objects', objects(mostLevels + 9), 2 * mostLevels + 5, 'too deep'],
    ['many values in few levels', `[${Array.from({ length: 9_000 }, () => '[{"a":1}]').join(',')}]`, 27_001],
    ['numbers and texts', `[${'1,"a",'.repeat(9_000)}0]`, 1],
    ['brackets in texts, with quotes and backslashes', `[${strange}]`, 1],
    ['too many after such texts', `[${strange},${lists(mostLevels + 3)}]`, mostLevels + 3, 'too deep'],
    ['a text without an end', `["${'['.repeat(mostLevels * 2)}`, 1],
    ['8 MB of brackets', '['.repeat(8_000_000), mostLevels + 3, 'too deep'],
  ])('is measured by lists, objects and members: %s', (_, text, values, deep) => {
    expect(measure(text, mostLevels + 2)).toEqual({ values, isTooDeep: deep !== undefined });
  });
});

const heads: readonly (readonly [head: string, packet: object, isAnswer: boolean])[] = [
  ['2/smcp,17["client:tool_call",', { type: 2, id: 17, data: ['client:tool_call', {}] }, false],
  ['2/smcp,["client:tool_call",', { type: 2, data: ['client:tool_call', {}] }, false],
  ['20["",', { type: 2, id: 0, data: ['', {}] }, false],
  ['2/smcp,3["会议",', { type: 2, id: 3, data: ['会议', {}] }, false],
  ['3/smcp,12[', { type: 3, id: 12, data: [{}] }, true],
];
const many = `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":0`).join(',')}}`;

describe('a decoder', () => {
  it.each(heads)('marks what is nested too deep without parsing it: %s…', (head, packet, isAnswer) => {
    const { data, ...rest } = decoded(`${head}${objects(50_000)}]`).packet as { data: readonly unknown[] };
    expect({ ...rest, data: data.map((one) => (unreadIn(one) ? {} : one)) }).toMatchObject(packet);
    expect(unreadIn(data.at(-1))).toMatchObject({ code: 413, details: { limit_levels: mostLevels } });
    if (isAnswer)
      expect(answerRead('client:get_tools', data)).toMatchObject([
        { code: 413, message: expect.stringMatching(/answer of the computer.*nested too deep/) },
      ]);
  });

  it.each(heads)('marks what weighs too much without parsing it: %s…', (head, packet, isAnswer) => {
    const { data, ...rest } = decoded(`${head}${many}]`, 99).packet as { data: readonly unknown[] };
    expect({ ...rest, data: data.map((one) => (unreadIn(one) ? {} : one)) }).toMatchObject(packet);
    expect(unreadIn(data.at(-1))).toMatchObject({ code: 429, details: { limit: 'eventsPerSocket' } });
    if (isAnswer)
      expect(answerRead('client:tool_call', data)).toMatchObject([
        { isError: true, structuredContent: { error: { code: 429 } }, meta: { a2c_outcome: 'unknown' } },
      ]);
  });

  it.each([
    ['a small event', '2["e",{"a":1}]', 0],
    ['a long text', `2["e","${'x'.repeat(1_000_000)}"]`, 61],
    ['many members', `2["e",${many}]`, 103],
    ['many numbers', `2["e",[${'1,'.repeat(9_000)}1]]`, 1],
    ['an answer', `3/smcp,1[${many}]`, 103],
    ['a deep event', `2["e",${lists(mostLevels + 9)}]`, 10],
  ])('weighs %s', (_, text, weight) => {
    expect(decoded(text).weighed).toBe(weight);
  });

  it('weighs an attachment, and parses its packet', () => {
    const decoder = new LevelDecoder();
    let [packet, weighed]: [unknown, number] = [undefined, 0];
    decoder.charge = (weight) => void (weighed += weight);
    decoder.on('decoded', (one) => (packet = one));
    decoder.add('51-["e",{"_placeholder":true,"num":0}]');
    decoder.add(Buffer.alloc(1_000_000));
    expect(packet).toMatchObject({ data: ['e', expect.any(Buffer)] });
    expect(weighed).toBe(61);
  });

  it.each([
    ['blanks in its header', `2[ "e" ,${objects(50_000)}]`],
    ['an escape in its name', `2["\\u0065",${objects(50_000)}]`],
    ['another type', `0/smcp,${objects(50_000)}`],
  ])('throws for a packet too deep to be parsed with %s, which ends the connection', (_, text) => {
    expect(() => decoded(text)).toThrow('nested too deep');
  });

  it('parses what may be parsed, and takes nothing of a peer for its own mark', () => {
    const data = (text: string): unknown => (decoded(text).packet as { data: unknown }).data;
    expect(data(`2/smcp,1["e",${lists(mostLevels)}]`)).toMatchObject(['e', [[expect.anything()]]]);
    expect(answerRead('e', [{ unread: { code: 413 } }])).toEqual([{ unread: { code: 413 } }]);
    expect(unreadIn({ a2c_levels: 'too many', unread: {} })).toBeUndefined();
  });
});
