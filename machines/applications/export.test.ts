import { describe, expect, it } from 'vitest';
import { serversOf } from './app.ts';
import { exportFor, plainWords } from './export.ts';
import { importFrom } from './import.ts';
import { opencode } from './own-formats.ts';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';

const parsed = (value: object, app?: typeof opencode) =>
  readConfig(value, app && { ofApp: serversOf(app, value) });

describe('an export to an application without cwd', () => {
  const { cwd: _, ...keys } = plainWords.keys;
  const exported = (launch: object) =>
    exportFor(parsed({ mcpServers: { a: launch } }), { ...plainWords, keys }, true);

  it('writes relative paths whole, and says so beside the server', () => {
    const { value, left } = exported({ command: './run', args: ['../lib', '.', 'x.js'], cwd: '/srv' });
    const a = { command: '/srv/run', args: ['/srv/../lib', '/srv', 'x.js'] };
    const told = '"a": cwd is left out: paths that begin with a dot are written below /srv, others are not';
    expect([value['mcpServers'], left]).toEqual([{ a }, [told]]);
  });
  it('keeps cwd where the application has it', () => {
    const a = { command: './run', cwd: '/srv' };
    const { value, left } = exportFor(parsed({ mcpServers: { a } }), plainWords, true);
    expect([value['mcpServers'], left]).toEqual([{ a: { ...a, args: [] } }, []]);
  });
});

describe('an entry that only switches a server off', () => {
  const file = { mcp: { a: { type: 'local', command: ['x'] }, b: { enabled: false } } };
  const told = 'only says whether a server that another place describes is on; left out';
  it('refuses no file, and is told', () => {
    const { servers, warnings } = parsed(file, opencode);
    expect([servers.map(({ name }) => name), warnings]).toEqual([['a'], [`mcp.b: ${told}`]]);
    const ours = parsed({ mcpServers: { b: { disabled: true }, c: { command: 'x' } } });
    expect(ours.warnings).toEqual([`mcpServers.b: ${told}`]);
  });
  it('an import tells an entry that only switches a server off', () => {
    const { servers } = importFrom(file, opencode, { servers: [], inputs: [] });
    expect(servers.map(({ name, why }) => [name, why])).toEqual([
      ['a', undefined],
      ['b', told],
    ]);
  });
});

it('a helper that makes the headers of a server is told as a login that is missing', () => {
  const { warnings } = parsed({ mcpServers: { a: { url: 'https://e.com/', headersHelper: './h.sh' } } });
  expect(warnings.join()).toContain('its login is missing: no command is run for headers');
});

it('an export gives each secret of one argument a variable of its own', () => {
  const args = ['https://app:pw1234@e.com/?api_key=k5678', '--note=x', '--token=t9012'];
  const { value } = exportFor(parsed({ mcpServers: { a: { command: 'x', args } } }), plainWords, false);
  const [url, token] = ['https://${env:A_ARG_1}@e.com/?api_key=${env:A_ARG_1_2}', '--token=${env:A_ARG_3}'];
  expect(value['mcpServers']).toMatchObject({ a: { args: [url, '--note=x', token] } });
});
