import { describe, expect, it } from 'vitest';
import { headerParams, headersOf } from './revision.ts';

const version = '2026-07-28';
describe('the headers of a request', () => {
  it.each([
    [{ method: 'tools/list' }, undefined],
    [{ method: 'tools/call', params: { name: 'echo' } }, 'echo'],
    [{ method: 'resources/read', params: { uri: 'file:///a b' } }, 'file:///a b'],
    [{ method: 'prompts/get', params: { name: ' édge\n' } }, `=?base64?${btoa(' Ã©dge\n')}?=`],
    [{ method: 'tools/call', params: { name: '=?base64?x?=' } }, `=?base64?${btoa('=?base64?x?=')}?=`],
  ])('name what %j is about', (request, name) => {
    expect(headersOf(request, version)).toEqual({
      'mcp-protocol-version': version,
      'mcp-method': request.method,
      ...(name !== undefined && { 'mcp-name': name }),
    });
  });
  it('have what the tool wants there, and nothing that was left out or is of another type', () => {
    const wanted = ['Region', 'Deep', 'Count', 'On', 'None', 'Object', 'Huge'].map((name) => ({
      path: name === 'Deep' ? ['a', 'b'] : [name],
      name,
    }));
    const given = { Region: 'eu', a: { b: 'x' }, Count: 3, On: false, Object: {}, Huge: 2 ** 60 };
    const headers = headersOf(
      { method: 'tools/call', params: { name: 't', arguments: given } },
      version,
      wanted,
    );
    expect(
      Object.fromEntries(Object.entries(headers).filter(([key]) => key.startsWith('mcp-param-'))),
    ).toEqual({
      'mcp-param-Region': 'eu',
      'mcp-param-Deep': 'x',
      'mcp-param-Count': '3',
      'mcp-param-On': 'false',
    });
  });
});

describe('the schema of a tool', () => {
  const marked = (type: string, name: unknown = 'X') => ({ type, 'x-mcp-header': name });
  it('says what it wants in headers, at any depth', () => {
    const schema = {
      type: 'object',
      properties: { a: { properties: { b: marked('string') } }, c: marked('boolean', 'Y') },
    };
    expect(headerParams(schema)).toEqual([
      { path: ['a', 'b'], name: 'X' },
      { path: ['c'], name: 'Y' },
    ]);
    expect([headerParams({}), headerParams(undefined)]).toEqual([[], []]);
  });
  it.each([
    ['a number', { properties: { a: marked('number') } }],
    ['an object', { properties: { a: marked('object') } }],
    ['no name', { properties: { a: marked('string', '') } }],
    ['a name that is none', { properties: { a: marked('string', 'a b') } }],
    ['two of one name', { properties: { a: marked('string', 'x'), b: marked('string', 'X') } }],
    ['what is in a list', { properties: { a: { items: marked('string') } } }],
    ['one of several', { anyOf: [{ properties: { a: marked('string') } }] }],
    ['what is only referred to', { $defs: { a: marked('string') } }],
    ['itself', marked('string')],
  ])('is of no use when it marks %s', (_, schema) => {
    expect(headerParams(schema)).toEqual({ problem: expect.stringContaining('x-mcp-header') as string });
  });
});
