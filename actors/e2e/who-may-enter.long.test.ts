/** Tests of each refused credential at a real office, with foreign sockets and with our own clients. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, createOffice, type Entrant, type Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { enteringPeer } from '../../scenarios/fixtures/entering.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('enter');
const [first, second] = ['the-first-token-of-this-test', 'the-second-token-of-this-test'];
let office: Office;
const refusals: string[] = [];
beforeAll(async () => {
  office = await createOffice({ port: 0, auth: [first, second] });
  office.on('peer.refused', ({ reason }) => refusals.push(reason));
});
afterAll(() => office.close());

interface Shown {
  readonly auth?: object;
  readonly extraHeaders?: Record<string, string>;
  readonly transports?: readonly string[];
}
/** Connects a client and returns whether it was admitted, the error, and whether an early event was answered. */
async function entering({ transports = ['websocket'], ...shown }: Shown, url = office.url) {
  const peer = enteringPeer(url, undefined, { transports: [...transports], ...shown });
  let answered = false;
  void peer.join('o', 'agent', 'a').then(() => (answered = true));
  const entered = await peer.entered;
  peer.socket.disconnect();
  return entered === true ? { connected: true } : { code: entered[0], message: entered[1], answered };
}
const missing = { code: 401, message: expect.stringContaining('wants a token'), answered: false };
const unchecked = { code: 503, message: expect.stringContaining('could not check'), answered: false };
const unknown = { code: 401, message: 'This office does not know that token', answered: false };

describe('an office with tokens', () => {
  it.each<[what: string, shown: Shown]>([
    ['token of auth', { auth: { token: first } }],
    ['another of its tokens', { auth: { token: second } }],
    ['apiKey of auth', { auth: { apiKey: first } }],
    ['api_key of auth', { auth: { api_key: first } }],
    ['the header x-api-key', { extraHeaders: { 'X-API-Key': first } }],
    ['the header access_token', { extraHeaders: { access_token: first } }],
    ['the header Authorization', { extraHeaders: { Authorization: `Bearer ${first}` } }],
    ['token of auth over polling', { auth: { token: first }, transports: ['polling'] }],
  ])('lets in who shows it as %s', async (_, shown) => {
    expect(await entering(shown)).toEqual({ connected: true });
  });

  it.each<[what: string, shown: Shown, heard: object]>([
    ['nothing', {}, missing],
    ['nothing over polling', { transports: ['polling'] }, missing],
    ['an empty token', { auth: { token: '' } }, missing],
    ['a token that is no text', { auth: { token: { $ne: null } } }, missing],
    ['a list with the right one', { auth: { token: [first] } }, missing],
    ['a prototype', { auth: JSON.parse(`{"__proto__":{"token":"${first}"}}`) as object }, missing],
    ['a header of another scheme', { extraHeaders: { Authorization: `Basic ${first}` } }, missing],
    ['another token', { auth: { token: 'guessed' } }, unknown],
    ['the beginning of the right one', { auth: { token: first.slice(0, -1) } }, unknown],
    ['the right one and more', { auth: { token: `${first} ` } }, unknown],
    ['a token of 8 KiB', { auth: { token: 'x'.repeat(2 ** 13) } }, unknown],
  ])('refuses %s, with its reason and before any event', async (_, shown, heard) => {
    refusals.length = 0;
    expect(await entering(shown)).toEqual(heard);
    expect(refusals).toHaveLength(1);
  });

  it('lets nobody in with an old token once it has others, and leaves who is connected', async () => {
    await using changing = await createOffice({ port: 0, auth: first });
    await using agent = await createAgent({ url: changing.url, auth: first });
    changing.admit([second, 'a-third-token']);
    expect(await entering({ auth: { token: first } }, changing.url)).toEqual(unknown);
    expect(await entering({ auth: { token: second } }, changing.url)).toEqual({ connected: true });
    expect(await agent.room()).toMatchObject([{ name: 'agent' }]);
  });

  it.each([[''], ['  '], [[]], [['ok', '']], [[1]]])('is not opened with %j', async (auth) => {
    await expect(createOffice({ port: 0, auth: auth as string })).rejects.toMatchObject({
      code: 'BadRequest',
    });
  });

  it('may listen on every address, and one without may not', async () => {
    await using wide = await createOffice({ host: '0.0.0.0', port: 0, auth: first });
    const url = `http://127.0.0.1:${wide.port}`;
    expect(await entering({}, url)).toEqual(missing);
    expect(await entering({ auth: { token: first } }, url)).toEqual({ connected: true });
    const origin = { Origin: 'https://evil.example' };
    const fromAPage = { auth: { token: first }, extraHeaders: origin, transports: ['polling'] };
    expect(await entering(fromAPage, url)).toMatchObject({ message: 'xhr poll error' });
    await expect(createOffice({ host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
      message: expect.stringContaining('listens on loopback only'),
      remedy: expect.stringMatching(/^Give `auth` to createOffice/),
    });
  });
});

describe('an office whose host decides', () => {
  const heard: Entrant[] = [];
  it.each<[what: string, says: unknown, result: object]>([
    ['true', true, { connected: true }],
    ['true, later', Promise.resolve(true), { connected: true }],
    ['false', false, { ...unknown, message: 'This office does not let you in' }],
    ['a reason', { reason: 'not on Sundays' }, { ...unknown, message: 'not on Sundays' }],
    ['nothing', undefined, { ...unknown, message: 'This office does not let you in' }],
    ['a rejection', new Error('the directory is down'), unchecked],
    ['nothing, ever', new Promise(() => {}), unchecked],
  ])('does what it says: %s', async (_, says, result) => {
    await using own = await createOffice({
      port: 0,
      limits: { entryMs: 0 },
      auth: (entrant) => {
        heard.push(entrant);
        if (says instanceof Error) throw says;
        return says as true;
      },
    });
    const shown = { auth: { user: 'u', token: 't' }, extraHeaders: { 'X-Team': 'red' } };
    expect(await entering(shown, own.url)).toEqual(result);
    expect(heard.at(-1)).toMatchObject({
      auth: { user: 'u' },
      token: 't',
      headers: { 'x-team': 'red' },
      address: expect.stringContaining('127.0.0.1'),
    });
  });
});

describe('an agent and a computer', () => {
  it('enter with a token, a function and headers, each of them', async () => {
    await using computer = await bootedComputer({ name: 'c1' });
    await computer.join({ url: office.url, auth: async () => Promise.resolve({ token: second }) });
    await using agent = await createAgent({ url: office.url, headers: { 'x-api-key': first } });
    expect((await agent.room()).map(({ name }) => name).toSorted()).toEqual(['agent', 'c1']);
  });

  it.each<[what: string, auth: string | (() => Promise<string>), says: string]>([
    ['another token', 'guessed', 'does not know that token'],
    ['a function that fails', () => Promise.reject(new Error('no vault')), 'could not be had: no vault'],
  ])('hear why they are not let in with %s', async (_, auth, says) => {
    await expect(createAgent({ url: office.url, auth })).rejects.toMatchObject({
      code: 'TokenRefused',
      message: expect.stringContaining(says),
      remedy: expect.stringContaining('--token'),
    });
    await using computer = await bootedComputer({ name: 'c2' });
    await expect(computer.join({ url: office.url, auth })).rejects.toMatchObject({ code: 'TokenRefused' });
  });

  it('leave no credential in what they record', async () => {
    await using agent = await createAgent({ url: office.url, auth: first });
    const traces = [await agent.debug.writeTrace(folder), await office.debug.writeTrace(folder)];
    for (const trace of traces) expect(readFileSync(trace, 'utf8')).not.toMatch(first);
  });
});
