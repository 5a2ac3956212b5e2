import { describe, expect, it } from 'vitest';
import { Cookies } from './cookies.ts';

const now = Date.parse('Thu, 01 Jan 2026 00:00:00 GMT');
const taken = (lines: readonly string[], from = 'https://mcp.example.com/a/mcp'): Cookies => {
  const cookies = new Cookies(() => now);
  for (const line of lines) cookies.take(line, new URL(from));
  return cookies;
};
const sent = (lines: readonly string[], to = 'https://mcp.example.com/a/mcp', given?: string) =>
  taken(lines).headerFor(new URL(to), given);

describe('cookies of a server', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['none', [], undefined],
    ['one', ['a=1'], 'a=1'],
    ['an equals sign in its value', ['a=b=c; HttpOnly; SameSite=None; Partitioned'], 'a=b=c'],
    ['a newer one of the same name', ['a=1; Path=/', 'a=2; Path=/'], 'a=2'],
    ['the longer path first', ['a=1; Path=/', 'b=2; Path=/a'], 'b=2; a=1'],
    ['a path that only begins alike', ['a=1; Path=/a/m'], undefined],
    ['another path', ['a=1; Path=/other'], undefined],
    [
      'its own domain and the one above',
      ['a=1; Domain=.example.com', 'b=2; Domain=MCP.example.com'],
      'a=1; b=2',
    ],
    ['another domain', ['a=1; Domain=evil.com', 'b=2; Domain=ample.com'], undefined],
    ['an age', ['a=1; Max-Age=60', 'b=2; Max-Age=0', 'c=3; Max-Age=-1'], 'a=1'],
    [
      'a date',
      ['a=1; Expires=Thu, 01-Jan-2026 01:00:00 GMT', 'b=2; Expires=Thu, 01 Jan 2015 00:00:00 GMT'],
      'a=1',
    ],
    ['a date that is none', ['a=1; Expires=soon'], 'a=1'],
    ['an end that a later one brings', ['a=1', 'a=; Max-Age=0'], undefined],
    ['no name', ['=1', 'flag', '; Path=/'], undefined],
    ['too many bytes', [`a=${'x'.repeat(4_096)}`], undefined],
    ['a character that HTTP does not carry', ['a=\u0001'], undefined],
  ])('are sent back with %s', (_, lines, header) => {
    expect(sent(lines)).toBe(header);
  });
  it('are at most 50', () => {
    const cookies = taken(Array.from({ length: 60 }, (_, index) => `c${index}=1`));
    expect(cookies.headerFor(new URL('https://mcp.example.com/a/b'))?.split('; ')).toHaveLength(50);
  });
  it('stand beside the header of the config, whose names win', () => {
    expect(sent(['a=1', 'b=2'], undefined, 'a=mine; z=9')).toBe('a=mine; z=9; b=2');
  });
  it('are not kept without TLS when they want it', () => {
    const cookies = taken(['a=hidden; Secure'], 'http://mcp.example.com/mcp');
    expect(cookies.headerFor(new URL('http://mcp.example.com/mcp'))).toBeUndefined();
  });
});
