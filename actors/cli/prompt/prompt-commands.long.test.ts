import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { createOffice } from '../../api/office.ts';
import { fixtureFile, testFolder } from '../../../scenarios/fixtures/test-folder.ts';

/** Tests of the general commands of the prompt; commands for calls and servers have tests of their own. */
const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('prompt-commands');
const fixture = { command: process.execPath, args: [server] };
const inputs = [
  { type: 'promptString', id: 'name', description: 'Your name', default: 'nobody' },
  { type: 'promptString', id: 'token', description: 'A token', password: true },
  { type: 'pickString', id: 'region', description: 'Where', options: ['eu', 'us'] },
];
const config = { mcpServers: { fixture, gone: { command: 'no-such-command' } }, inputs };

let up: AtPrompt;
const ask = (line: string): Promise<string> => up.ask(line);
beforeEach(async () => {
  up = atPrompt(config);
  await up.until(seated);
});
afterEach(async () => {
  up.end();
  expect(await up.ended).toBe(0);
});

describe('inputs at the prompt', () => {
  it('are listed, added, changed and removed', async () => {
    expect(await ask('inputs list')).toMatch(
      /^name +promptString +Your name\ntoken .*\nregion +pickString +Where$/m,
    );
    expect(await ask('inputs get region')).toContain('"options":["eu","us"]');
    await ask('inputs add {"type": "promptString", "id": "more", "description": "More"}');
    await ask('inputs update {"type": "promptString", "id": "more", "description": "Even more"}');
    expect(await ask('inputs')).toMatch(/^more +promptString +Even more$/m);
    expect(await ask('inputs rm more')).toContain('removed more');
    expect(await ask('inputs rm more')).toContain("No input 'more'");
    expect(await ask('inputs add {"type": "sing"}')).toMatch(/error: .*type/);
    const file = join(folder, 'inputs.json');
    writeFileSync(file, JSON.stringify([inputs[0]]));
    await ask(`inputs load @${file}`);
    expect(await ask('inputs')).not.toContain('region');
  });

  it('have values that are set, shown and forgotten, and a password is shown to nobody', async () => {
    expect(await ask('inputs value get name')).toContain('nobody gave a value for name yet');
    expect(await ask('inputs value set region mars')).toContain('none of the options');
    await ask('inputs value set region us');
    await ask('inputs value set token s3cret');
    await ask('inputs value set name');
    expect(await ask('inputs value list')).toContain('{"region":"us","token":"***","name":"nobody"}');
    const rendered = await ask(
      'render {"a": "x-${input:region}", "b": "${input:token}", "c": "${input:other}"}',
    );
    expect(rendered).toContain('"a": "x-us"');
    expect(rendered).toContain('"b": "***"');
    expect(rendered).toContain('"c": "${input:other}"');
    expect(await ask('inputs value rm region')).toContain('forgot region');
    expect(await ask('inputs value clear')).toContain('forgotten');
    expect(await ask('inputs value list')).toContain('{}');
  });
});

describe('servers at the prompt', () => {
  it('say why they are not ready, and what to do', async () => {
    const why = await ask('why gone');
    expect(why).toMatch(/^gone +gave up: .*no-such-command/m);
    expect(why).toMatch(/^try it now: retry gone$/m);
    expect(await ask('why nobody')).toContain('Unknown server: nobody');
    expect(await ask('why fixture')).toContain('It is ready.');
  });

  it('stop and start all at once, each with a line of its own', async () => {
    expect(await ask('stop all')).toMatch(/^fixture +stopped$/m);
    const started = await ask('start all');
    expect(started).toMatch(/^gone +error: /m);
    expect(started).toMatch(/^fixture +ready$/m);
  });
});

describe('a call at work', () => {
  it('lets calls and cancel be answered at once', async () => {
    up.write('call hang label=x\n');
    let calls = '';
    // The call appears in the list only after several turns of the event loop, so the test asks again.
    while (!calls.includes('fixture  hang')) {
      await new Promise(setImmediate);
      up.write('calls\n');
      calls = await up.until(/no call runs\n|fixture {2}hang .*since .*\n/);
    }
    const [, reqId = ''] = /^(\S+) {2}fixture {2}hang/m.exec(calls) ?? [];
    up.write(`cancel ${reqId}\n`);
    expect(await up.until(/\(unknown after[^]*a2c> $/)).toContain(`cancelled ${reqId}`);
  });
});

describe('the office at the prompt', () => {
  it('is left, and another one is joined', async () => {
    await using other = await createOffice({ port: 0 });
    expect(await ask('socket leave')).toContain('left the office');
    expect(await ask('socket leave')).toContain('in no office');
    expect(await ask(`connect --url ${other.url} --office o2`)).toContain(`joined o2 at ${other.url}`);
    expect(await ask(`connect --url ${other.url} --name other`)).toContain(
      `joined local at ${other.url} as other`,
    );
    expect(await ask('connect')).toContain('--url <url>');
    await ask(`socket connect ${other.url}`);
    expect(await ask('socket join o3 c1')).toContain('joined o3');
    expect(await ask('status')).toContain(`link joined: office o3 at ${other.url} as c1`);
    await ask('socket leave');
    expect(await ask('status')).toMatch(/^computer c1: [\w ,]+, in no office$/m);
  });
});

describe('a request of an agent', () => {
  it('is run as it is written', async () => {
    const request = { tool_name: 'echo', params: { text: 'from tc' }, req_id: 'r', agent: 'a' };
    expect(await ask(`tc ${JSON.stringify(request)}`)).toMatch(/^from tc$/m);
    const file = join(folder, 'request.json');
    writeFileSync(file, JSON.stringify(request));
    expect(await ask(`tc @${file}`)).toMatch(/^from tc$/m);
    expect(await ask('tc {}')).toContain('usage: tc');
  });
});
