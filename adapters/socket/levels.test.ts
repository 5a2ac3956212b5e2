import { describe, expect, it } from 'vitest';
import { isTooDeep, mostLevels } from '../../machines/protocol/json.ts';
import { isTooDeep as isMarked } from '../connections/office-wire.ts';
import { LevelDecoder } from './levels.ts';

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const strange = `"\\\\","${'[{'.repeat(mostLevels)}","\\"${'['.repeat(mostLevels)}\\\\\\""`;
const decoded = (text: string): unknown => {
  const decoder = new LevelDecoder();
  let packet: unknown;
  decoder.on('decoded', (one) => (packet = one));
  decoder.add(text);
  return packet;
};

describe('levels of a text', () => {
  it.each([
    ['as many as are carried', lists(mostLevels), false],
    ['too many lists', lists(mostLevels + 1), true],
    ['too many objects', objects(mostLevels + 1), true],
    ['many values in few levels', `[${Array.from({ length: 100_000 }, () => '[{}]').join(',')}]`, false],
    ['brackets in texts, with quotes and backslashes', `[${strange}]`, false],
    ['too many after such texts', `[${strange},${lists(mostLevels)}]`, true],
    ['a text without an end', `["${'['.repeat(mostLevels * 2)}`, false],
    ['8 MB of brackets', '['.repeat(8_000_000), true],
  ])('%s', (_, text, deep) => {
    expect(isTooDeep(text, mostLevels)).toBe(deep);
  });
});

describe('a decoder', () => {
  it.each([
    ['2/smcp,17', 'client:tool_call', 17],
    ['2/smcp,', 'client:tool_call', undefined],
    ['20', '', 0],
    ['2/smcp,3', '会议', 3],
  ])('marks an event %s[%j…] that is nested too deep, without reading it', (head, event, id) => {
    const packet = decoded(`${head}["${event}",${objects(50_000)}]`);
    expect(packet).toMatchObject({ type: 2, data: [event, expect.anything()] });
    const { data, id: found } = packet as { readonly data: readonly unknown[]; readonly id?: number };
    expect([isMarked(data[1]), found]).toEqual([true, id]);
  });
  it.each(['3/smcp,1', '3', '30'])(
    'marks an answer %s[…] that is nested too deep, without reading it',
    (head) => {
      const { type, data } = decoded(`${head}[${lists(50_000)}]`) as {
        type: number;
        data: readonly unknown[];
      };
      expect([type, data.map(isMarked)]).toEqual([3, [true]]);
    },
  );
  it('refuses what is nested too deep under a name that no event has', () => {
    expect(() => decoded(`2["client:\\u0074ool_call",${lists(50_000)}]`)).toThrow('invalid payload');
  });
  it('reads events and answers that are not too deep as they are', () => {
    expect(decoded(`3/smcp,1[${lists(mostLevels)}]`)).toMatchObject({
      type: 3,
      id: 1,
      data: [[expect.anything()]],
    });
    expect(decoded(`2/smcp,1["e",${lists(mostLevels)}]`)).toMatchObject({
      data: ['e', [[expect.anything()]]],
    });
    expect(isMarked((decoded('2["e",{"a":1}]') as { data: unknown[] }).data[1])).toBe(false);
  });
});
