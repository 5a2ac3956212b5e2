import { describe, expect, it } from 'vitest';
import { textOfRecord } from './canonical.ts';
import { traceFormat } from './format.ts';
import { readTrace, textOfLine, type CrossingLine, type Trace, type TraceLine } from './reading.ts';

const sha256 = (texts: Iterable<string>): string => {
  let sum = 7;
  for (const text of texts)
    for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return sum.toString(16);
};
const head = {
  ...{ s: 0, t: 0, k: 'head', format: traceFormat, runtime: '1', xstate: '5', node: 'v20' },
  ...{ profile: 'boundary', clock: 'real', started: null, next: 1 },
  redaction: { keyId: null },
};
const wall = 1_700_000_000_000;
const line = (s: number, record: { k: string; [field: string]: unknown }, w = `"w":${wall},`): string =>
  `{"s":${s},"t":${s / 10},${w}${textOfRecord(record).slice(1)}`;
const inner = (s: number, record: { k: string; [field: string]: unknown }): string => line(s, record, '');
const inputs = [
  { k: 'in', ch: 'host:computer', a: 'computer', ev: { type: 'createComputer', name: 'c1' } },
  { k: 'draw', ch: 'random', a: 'computer#1', v: 0.25 },
  { k: 'in', ch: 'host:computer', a: 'computer', ev: { type: 'close', why: new Error('enough') } },
];
const body = inputs.map((record, at) => line(at + 1, record));
const tail = {
  ...{ s: 4, t: 1, k: 'tail', reason: 'closed', records: 3, inputs: 2 },
  digest: sha256(inputs.map((record) => textOfRecord(record))),
};
const fileOf = (...rows: readonly (object | string)[]): string =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n') + '\n';
const whole = fileOf(head, ...body, tail);

const traceIn = (text: string): Trace => {
  const read = readTrace(text, sha256);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
};
const problemIn = (text: string): { line: number; problem: string; remedy: string } => {
  const read = readTrace(text, sha256);
  if (read.ok) throw new Error('it was read');
  return read;
};

describe('a whole trace', () => {
  it('is read with its places, its records as they were, and its end', () => {
    const { lines, tail: end, isTorn } = traceIn(whole);
    expect(lines.map(({ s, t }) => [s, t])).toEqual([
      [1, 0.1],
      [2, 0.2],
      [3, 0.3],
    ]);
    expect(lines.map(({ record }) => record)).toEqual(inputs.map((record) => ({ ...record, w: wall })));
    expect(lines[2]?.record).toMatchObject({ ev: { why: expect.any(Error) } });
    expect(lines.map(({ text }) => text)).toEqual(inputs.map((record) => textOfRecord(record)));
    expect({ reason: end?.reason, isTorn }).toEqual({ reason: 'closed', isTorn: false });
  });

  it('is the same with the line ends and the mark of Windows', () => {
    expect(traceIn(`\uFEFF${whole.replaceAll('\n', '\r\n')}`)).toEqual(traceIn(whole));
  });

  it('has what the world gave in the order in which it came, also for a walk over it', () => {
    const given = { k: 'in', ch: 'process:c/1', ev: { z: 1, a: { y: 2, b: 3 }, type: 'x' } };
    const { record, text } = traceIn(fileOf(head, line(1, given))).lines[0] as TraceLine;
    expect(text).toBe(JSON.stringify(given));
    const { w: _, ...read } = record as CrossingLine;
    expect(textOfRecord(read)).toBe(text);
    const done = { k: 'out', ch: 'process:c/1', ev: { z: 1, type: 'x' } };
    expect(textOfRecord(done)).toBe('{"ch":"process:c/1","ev":{"type":"x","z":1},"k":"out"}');
  });

  it('may have more fields than this version knows', () => {
    const added = fileOf({ ...head, mood: 'good' }, ...body, { ...tail, mood: 'good' });
    expect(traceIn(added).lines).toHaveLength(3);
  });

  it('has each list in its place, also a list in a list, and frames beside', () => {
    const rows = [
      inner(1, { k: 'list', h: 'aa', v: ['a'] }),
      '{"s":2,"t":0,"k":"list","h":"bb","v":[{"$list":"aa"}]}',
      inner(3, { k: 'frame', a: 'c#1/session#1', via: 'mcp', dir: 'in', of: 'session:c/1', json: {} }),
      '{"s":4,"t":0,"w":1,"k":"said","ch":"host:c","ev":{"type":"x","v":{"$list":"bb"}}}',
      line(5, { k: 'mark', text: 'checkout' }),
    ];
    const { lines } = traceIn(fileOf(head, ...rows));
    expect(lines.map(({ s, record }) => [s, record])).toMatchObject([
      [4, { ch: 'host:c', ev: { v: [['a']] } }],
      [5, { k: 'mark', text: 'checkout' }],
    ]);
  });

  it('opens with what held then when its ring has lost its beginning', () => {
    const told = { orders: [], told: [], ended: [], answers: [], open: [], draws: [], timers: [] };
    const { facts, lines } = traceIn(
      fileOf(head, line(1, { k: 'facts', ...told }), line(2, inputs[2] as never)),
    );
    expect(facts).toMatchObject({ t: 0.1, facts: told });
    expect(lines.map(({ s }) => s)).toEqual([2]);
  });

  it('may hold numbers that JSON has no word for: no host is kept from a time-out of Infinity', () => {
    const timer = { k: 'timer', op: 'set', via: 'deadline', a: 'c#1', n: 1, ms: Infinity };
    expect(traceIn(fileOf(head, inner(1, timer))).lines[0]?.record).toEqual(timer);
  });

  it('has texts that do not tell where they stand', () => {
    expect(textOfLine(line(1, { k: 'x' }))).toBe('{"k":"x"}');
    expect(textOfLine(inner(99, { k: 'x' }))).toBe('{"k":"x"}');
  });
});

describe('what a killed host leaves', () => {
  it('is read up to any byte: the line in hand is torn, and no line before it is lost', () => {
    const start = whole.indexOf('\n') + 1;
    for (let end = start; end < whole.length; end++) {
      const { lines, tail: last } = traceIn(whole.slice(0, end));
      const complete = whole.slice(start, end).split('\n').length - 1;
      expect(lines.length).toBeGreaterThanOrEqual(Math.min(3, complete));
      if (end < whole.length - 1) expect(last).toBeUndefined();
    }
  });

  it('is told from one that ends with a whole line', () => {
    expect(traceIn(fileOf(head, ...body.slice(0, 2))).isTorn).toBe(false);
    expect(traceIn(fileOf(head, ...body).slice(0, -9)).isTorn).toBe(true);
  });
});

const [first = '', second = '', third = ''] = body;
const problems: readonly (readonly [what: string, text: string, line: number, problem: string])[] = [
  ['an empty file', '', 1, 'it is empty'],
  ['a picture', '\u0089PNG\r\n\u001a\n', 1, 'its first line is no head of an a2c-trace'],
  ['other JSON', fileOf({ version: 1 }, first), 1, 'its first line is no head of an a2c-trace'],
  ['JSON that is no object', 'null\n', 1, 'its first line is no head of an a2c-trace'],
  ['no head', fileOf(...body, tail), 1, 'its first line is no head of an a2c-trace'],
  [
    'a newer format',
    fileOf({ ...head, format: 'a2c-trace/3' }, ...body),
    1,
    'it has the format a2c-trace/3, this version reads a2c-trace/2',
  ],
  ['a head without a profile', fileOf({ ...head, profile: 'all' }, ...body), 1, 'its head is wrong'],
  ['a line that is missing', fileOf(head, first, third, tail), 3, 'record 2 is missing: 3 comes instead'],
  ['the first line missing', fileOf(head, second, third), 2, 'record 1 is missing: 2 comes instead'],
  ['a line twice', fileOf(head, first, first), 3, 'record 2 is missing: 1 comes instead'],
  ['a torn line in the middle', fileOf(head, first.slice(0, 40), second), 2, 'no JSON'],
  ['a line without a number', fileOf(head, { k: 'in' }), 2, 'no record: it has no number'],
  ['a line that is a number', fileOf(head, '42', second), 2, 'no record: it has no number'],
  ['a kind that nobody knows', fileOf(head, line(1, { k: 'dream' })), 2, 'no record: '],
  ['a crossing without its channel', fileOf(head, line(1, { k: 'draw', v: 0.5 })), 2, 'no record: '],
  [
    'a crossing without its wall clock',
    fileOf(head, inner(1, { k: 'draw', ch: 'random', v: 1 })),
    2,
    'no record: ',
  ],
  [
    'a list that is missing',
    fileOf(head, '{"s":1,"t":0,"w":1,"k":"said","ch":"host:c","ev":{"type":"x","v":{"$list":"aa"}}}'),
    2,
    'no record: the list aa is missing',
  ],
  ['a number that is none', fileOf(head, '{"s":1,"t":0,"k":"draw","a":{"$big":"x"}}'), 2, 'no record: '],
  ['a tail that is cut short', fileOf(head, { s: 1, t: 0, k: 'tail' }), 2, 'its tail is wrong'],
  [
    'lines after the tail',
    fileOf(head, ...body, tail, line(5, { k: 'draw' })),
    6,
    'there are lines after its tail',
  ],
  ['a changed byte', whole.replace('"v":0.25', '"v":0.26'), 5, 'its digest does not fit its lines'],
  [
    'a changed digest',
    fileOf(head, ...body, { ...tail, digest: 'f00' }),
    5,
    'its digest does not fit its lines',
  ],
];

describe('what is no trace', () => {
  it.each(problems)('%s is told with its line and a remedy', (_what, text, at, problem) => {
    const found = problemIn(text);
    expect(found).toMatchObject({ line: at, problem: expect.stringContaining(problem) });
    expect(found.remedy).toMatch(/^[A-Z].+[.?\w]$/);
  });

  it('has a remedy that fits: where to get a trace, a whole one, or another version', () => {
    const remedyOf = (what: string): string =>
      problemIn(problems.find(([name]) => name === what)?.[1] ?? '').remedy;
    expect(remedyOf('a picture')).toBe('Is it a trace? Record one with: a2c up --record DIR');
    expect(remedyOf('a newer format')).toMatch(
      /^Replay it with the version of a2c-actors that wrote it, \S+( of \d{4}-\d\d-\d\d)?, or record it again\.$/,
    );
    expect(remedyOf('a changed byte')).toContain('Fetch the file again');
  });
});
