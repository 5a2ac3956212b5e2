import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ended, listening, servedUrl } from '../scenarios/fixtures/local-server.ts';
import { fastestRegistry } from './npm-registry.ts';

const open = async (answer: RequestListener): Promise<string> => `${await servedUrl(answer)}/npm/`;
const answering = (status: number): Promise<string> =>
  open((request, response) => {
    response.writeHead(request.url === '/npm/-/ping' ? status : 404, { location: '/elsewhere' }).end('{}');
  });
async function hanging() {
  const server = createServer();
  onTestFinished(() => ended(server));
  return {
    url: await listening(server),
    asked: once(server, 'request'),
    aborted: new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve))),
  };
}
const { signal } = new AbortController();

describe('the fastest of several registries', () => {
  it.each([503, 302, 404])('is none that answers with HTTP %i', async (status) => {
    expect(await fastestRegistry([await answering(status)], signal)).toBeUndefined();
  });
  it('is the one that answers, and the others are aborted', async () => {
    const slow = await hanging();
    const usable = await open((_, response) => void slow.asked.then(() => response.end('{}')));
    expect(await fastestRegistry([slow.url, await answering(503), usable], signal)).toBe(usable);
    await slow.aborted;
  });
  it('is none when all that could be one are given up', async () => {
    const slow = await hanging();
    const end = new AbortController();
    const found = fastestRegistry([slow.url], end.signal);
    await slow.asked;
    end.abort();
    expect(await found).toBeUndefined();
    await slow.aborted;
  });
  it('is none where nobody listens, and none whose address is no URL', async () => {
    const server = createServer();
    const closed = await listening(server);
    await ended(server);
    const wrong = ['', 'no url', 'ftp://h/', 'http://u:%@h/'];
    expect(await fastestRegistry([closed, ...wrong], signal)).toBeUndefined();
  });
  it('is asked with the credentials of its URL', async () => {
    const url = await open(({ headers }, response) => {
      response.writeHead(headers.authorization === `Basic ${btoa('me:p/w')}` ? 200 : 401).end();
    });
    const withPassword = url.replace('http://', 'http://me:p%2Fw@');
    expect(await fastestRegistry([withPassword], signal)).toBe(withPassword);
  });
});
