import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHttp, openDocuments } from './serve.ts';
import type { HttpServing } from '../mcp/serve/http.ts';
import type { Shared } from './sharing.ts';

const corpus = fileURLToPath(new URL('../../scenarios/corpus/', import.meta.url));
const token = 'a-token-of-the-test';
let shared: Shared;
let serving: HttpServing;
beforeAll(async () => {
  shared = await openDocuments([corpus], 'documents', {
    isWatching: false,
    parserLimits: { growthBytes: Infinity },
  });
  serving = await serveHttp(shared, { port: 0, token });
});
afterAll(async () => {
  await serving.close();
  await shared.close();
});

const clientOf = async (): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(serving.url), { requestInit }));
  return client;
};
const status = (headers: Record<string, string>, path = '/mcp'): Promise<number | undefined> =>
  new Promise((done, failed) => {
    const asked = request(new URL(path, serving.url), { method: 'POST', headers }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    });
    asked.on('error', failed).end('{}');
  });

describe('the documents server over HTTP', () => {
  it('serves several clients, each with its own session', async () => {
    const clients = await Promise.all([clientOf(), clientOf()]);
    const lists = await Promise.all(clients.map((client) => client.listResources()));
    expect(lists[0]?.resources.length).toBeGreaterThan(18);
    expect(lists[1]).toEqual(lists[0]);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('refuses who shows no token, another name of this address, or a page of another site', async () => {
    const authorization = `Bearer ${token}`;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ authorization, host: 'rebound.example:80' })).toBe(403);
    expect(await status({ authorization, origin: 'https://example.com' })).toBe(403);
    expect(await status({ authorization, origin: 'null' })).toBe(403);
    expect(await status({ authorization, 'mcp-session-id': 'unknown' })).toBe(404);
    expect(await status({ authorization }, '/other')).toBe(404);
  });

  it('completes names', async () => {
    const client = await clientOf();
    const uri = 'dpe://documents/{doc_ref}/elements/{element_id}{?format}';
    const values = async (name: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
        .values;
    expect(await values('doc_ref', 'ch')).toEqual(['chapters.pdf']);
    expect(await values('page_index', '')).toEqual([]);
    await client.close();
  });

  it('tells 4201 to 4204 as codes of JSON-RPC, with details', async () => {
    const client = await clientOf();
    const refused = (uri: string) =>
      client.readResource({ uri }).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await refused('dpe://documents/none.md')).toMatchObject({
      code: 4201,
      data: { doc_ref: 'none.md' },
    });
    expect(await refused('dpe://documents/review.pptx/pages/3')).toMatchObject({
      ...{ code: 4202, data: { page_index: 3, page_count: 3 } },
    });
    expect(await refused('dpe://documents/chapters.pdf/elements/p99-x')).toMatchObject({
      code: 4203,
      data: { element_id: 'p99-x' },
    });
    expect(await refused('dpe://documents/review.pptx?limit=0')).toMatchObject({
      code: 4204,
      data: { rule: 'limit' },
    });
    expect(await refused('window://documents/none')).toMatchObject({ code: -32_602 });
    await client.close();
  });

  it('finds words with their places, and opens a page on the Desktop', async () => {
    const client = await clientOf();
    const search = () => client.callTool({ name: 'search', arguments: { query: 'Treasure OAK' } });
    let found = await search();
    // A first search answers from what is read until then, which depends on the machine.
    while ((found.structuredContent as { truncated?: boolean }).truncated) found = await search();
    const page = 'dpe://documents/chapters.pdf/pages/6';
    expect(found.structuredContent).toMatchObject({
      documents: [
        { title: 'Nine chapters', places: [{ page_uri: page, page_title: 'Chapter 7', category: 'text' }] },
      ],
      total_count: 1,
      truncated: false,
    });
    await client.callTool({ name: 'open', arguments: { uri: page } });
    const { resources } = await client.listResources();
    const window = resources.find(({ uri }) => uri.startsWith('window://documents/open/chapters.pdf/6'));
    const { contents } = await client.readResource({ uri: window?.uri ?? '' });
    expect((contents[0] as { text: string }).text).toContain('The treasure is buried under the old oak.');
    await client.close();
  });
});
