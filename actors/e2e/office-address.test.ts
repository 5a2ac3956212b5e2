import { createServer, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, listening } from '../../scenarios/fixtures/local-server.ts';
import { createAgent, createComputer, createOffice, type Office } from '../index.ts';

/** Tests of office addresses, with a proxy that removes the path `/a2c/` and a web site that answers every address with a page. */
let office: Office;
const open: Server[] = [];
const listen = (server: Server): Promise<string> => {
  open.push(server);
  return listening(server);
};
const prefix = '/a2c';
function proxy(port: number): Server {
  const server = createServer((asked, answer) => {
    const { url = '/', method, headers } = asked;
    if (!url.startsWith(`${prefix}/`)) return void answer.writeHead(404).end('nothing here');
    const passed = request({ port, method, headers, path: url.slice(prefix.length) }, (said) => {
      answer.writeHead(said.statusCode ?? 500, said.headers);
      said.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  server.on('upgrade', ({ url = '/', headers }, socket) => {
    if (!url.startsWith(`${prefix}/`)) return socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
    const up = connect(port, '127.0.0.1', () => {
      up.write([`GET ${url.slice(prefix.length)} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      socket.pipe(up).pipe(socket);
    });
    for (const end of [up, socket]) end.on('error', () => void (up.destroy(), socket.destroy()));
  });
  return server;
}
const at = { office: '', proxy: '', site: '', login: '' };
beforeAll(async () => {
  office = await createOffice({ port: 0 });
  at.office = office.url;
  at.proxy = await listen(proxy(office.port));
  const page = '<!DOCTYPE html><html>Sign in';
  at.site = await listen(createServer((_, answer) => void answer.writeHead(200).end(page)));
  at.login = await listen(createServer((_, answer) => void answer.writeHead(404).end(page)));
});
afterAll(async () => {
  for (const server of open) await ended(server);
  await office.close();
});

describe('the address of an office', () => {
  it.each<[where: keyof typeof at, path: string]>([
    ['office', ''],
    ['office', '/'],
    ['office', '/?x=1'],
    ['office', '/socket.io/'],
    ['proxy', '/a2c'],
    ['proxy', '/a2c/'],
    ['proxy', '/a2c//?x=1#y'],
    ['proxy', '/a2c/socket.io'],
  ])('is reached below its path: %s%s', async (where, path) => {
    const url = at[where] + path;
    const config = { mcpServers: {} };
    await using computer = await createComputer({ name: 'c1', config, office: { url } });
    await using agent = await createAgent({ url });
    const names = (await agent.room()).map(({ name }) => name);
    expect([names.toSorted(), computer.status().link?.state]).toEqual([['agent', 'c1'], 'joined']);
  });

  it.each<[where: keyof typeof at, path: string, says: string]>([
    ['office', '/elsewhere/', 'HTTP 404'],
    ['proxy', '/', 'HTTP 404'],
    ['site', '/a2c/', 'a web page or another service answers there'],
    ['login', '/', 'a web page answers there, HTTP 404'],
  ])('is told with what is there where there is none: %s%s', async (where, path, says) => {
    const url = at[where] + path;
    await expect(createAgent({ url })).rejects.toMatchObject({
      code: 'LinkLost',
      message: `Could not join the office: no office is at ${url}: ${says}`,
      remedy: expect.stringContaining('the path below which it is reached'),
    });
  });
});
