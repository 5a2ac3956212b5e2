import { afterEach, describe, expect, it } from 'vitest';
import { proxyFor, proxyVariables } from './surroundings.ts';

const variables = ['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'all_proxy', 'NO_PROXY'];
const before = { ...process.env };
afterEach(() => {
  for (const name of variables) {
    delete process.env[name];
    const value = before[name];
    if (value !== undefined) process.env[name] = value;
  }
});
const host = (values: Readonly<Record<string, string>>) => ({
  variable: (name: string): string | undefined => values[name],
});
const proxy = 'http://proxy:3128';
const [web, local] = ['https://mcp.example/x', 'http://127.0.0.1:1/'];

describe('a server behind a URL', () => {
  it('is reached directly, unless a proxy is asked for', () => {
    process.env['https_proxy'] = proxy;
    expect(proxyFor(web, {})).toBeUndefined();
    expect(proxyFor(web, { proxy: 'http://other:1' })).toBe('http://other:1');
    expect(proxyFor(web, { proxy: 'env' })).toBe(proxy);
  });
  it('is reached directly on this machine, or where the settings or the variables say so', () => {
    for (const url of [
      local,
      'http://localhost/',
      'http://a.localhost/',
      'http://[::1]:1/',
      'http://127.9.9.9/',
    ])
      expect(proxyFor(url, { proxy }), url).toBeUndefined();
    for (const noProxy of [['mcp.example'], ['.example'], ['*.example'], ['*'], ['x', 'MCP.example']])
      expect(proxyFor(web, { proxy, noProxy }), String(noProxy)).toBeUndefined();
    for (const noProxy of [['example'], ['cp.example'], []])
      expect(proxyFor(web, { proxy, noProxy }), String(noProxy)).toBe(proxy);
    Object.assign(process.env, { https_proxy: proxy, no_proxy: '.example' });
    expect(proxyFor(web, { proxy: 'env' })).toBeUndefined();
  });
});

describe('a child', () => {
  it('knows a proxy that is asked for, in both spellings, always with no_proxy', () => {
    const values = { http_proxy: proxy, https_proxy: proxy, no_proxy: 'intra,localhost,127.0.0.1,::1' };
    const loud = Object.entries(values).map(([name, value]) => [name.toUpperCase(), value]);
    expect(proxyVariables({ proxy, noProxy: ['intra'] }, {}, host({}))).toEqual({
      ...values,
      ...Object.fromEntries(loud),
    });
  });
  it('has those of the host, when they are asked for', () => {
    const given = { HTTPS_PROXY: proxy, NO_PROXY: 'a, b' };
    expect(proxyVariables({ proxy: 'env' }, {}, host(given))).toMatchObject({
      https_proxy: proxy,
      no_proxy: 'a,b,localhost,127.0.0.1,::1',
    });
    expect(proxyVariables({ proxy: 'env' }, {}, host({}))).toEqual({});
    expect(proxyVariables({}, {}, host(given))).toEqual({});
  });
  it('keeps what its own env says of proxies, and has none of ours beside', () => {
    for (const name of ['http_proxy', 'HTTPS_PROXY', 'No_Proxy', 'ALL_PROXY'])
      expect(proxyVariables({ proxy }, { [name]: '' }, host({})), name).toEqual({});
  });
});
