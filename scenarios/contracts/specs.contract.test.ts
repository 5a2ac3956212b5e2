import { describe, expect, it } from 'vitest';
import { Inputs } from '../../actors/servers/inputs.ts';
import { LaunchSpecs, specAsk } from '../../actors/servers/launch-specs.ts';
import { parseConfig } from '../../machines/config/parse.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import type { RequestFact, RequestPort } from '../../machines/kernel/ports.ts';
import { specPort } from '../../machines/client/client.events.ts';
import { timers } from './asking.ts';
import { ScriptedSpecs, type Values } from '../stage/scripted/host-ports.ts';

/** The port `spec`, as the product fills it and as scenarios fake it. */
interface World {
  readonly ask: RequestPort;
  set(values: Values): void;
}
const real = (): World => {
  let values: Values = 0;
  const parsed = parseConfig({
    servers: { fs: { command: 'x', env: { WORD: '${input:word}' } } },
    inputs: [{ type: 'promptString', id: 'word' }],
  });
  const [server] = parsed.ok ? parsed.config.servers : [];
  const inputs = new Inputs({
    definitions: parsed.ok ? parsed.config.inputs : [],
    ask: async () => {
      if (values === 'none') throw new Error('nobody gave a value');
      return values === 'never' ? new Promise(() => {}) : `value ${values}`;
    },
  });
  const specs = new LaunchSpecs({
    inputs,
    inMemory: {},
    transports: {},
    introduce: () => {},
    hide: () => {},
    redact: (failure) => failure,
    forget: () => {},
  });
  return {
    ask: specAsk((_, __, signal) => specs.resolve(server as ServerConfig, { expand: false }, signal)),
    set: (next) => {
      values = next;
      inputs.askAgain(['word']);
    },
  };
};
const fake = (): World => {
  const specs = new ScriptedSpecs(timers);
  return { ask: specs.request, set: (values) => specs.set('fs', values) };
};
const request = {
  id: 'spec',
  target: specPort,
  method: 'resolve',
  params: { server: 'fs', generation: 1 },
};

describe.each([
  ['real', real],
  ['fake', fake],
])('launch specs, %s', (_, open) => {
  const answered = (world: World): Promise<RequestFact> =>
    new Promise((resolve) => void world.ask('c', request, resolve));
  const specOf = async (world: World): Promise<unknown> => {
    const fact = await answered(world);
    return fact.type === 'ask.answered' ? fact.result : fact;
  };

  it('have the same number exactly as long as nothing in them is another', async () => {
    const world = open();
    const first = await specOf(world);
    expect(first).toEqual({ spec: expect.any(Number) as number });
    expect(await specOf(world)).toEqual(first);
    world.set(1);
    const second = await specOf(world);
    expect(second).not.toEqual(first);
    expect(await specOf(world)).toEqual(second);
  });
  it('are refused with the input when they lack a value, and what helps; later it may be there', async () => {
    const world = open();
    world.set('none');
    expect(await answered(world)).toMatchObject({
      ...{ type: 'ask.refused', id: 'spec', sent: false },
      failure: {
        code: 'InputNotFound',
        message: expect.stringContaining('needs input word (nobody gave a value)') as string,
        details: { server_name: 'fs', input_id: 'word' },
        remedy: expect.stringContaining('servers start fs') as string,
      },
    });
    world.set(2);
    expect(await specOf(world)).toEqual({ spec: expect.any(Number) as number });
  });
  it('are told to nobody when nobody wants them any more', async () => {
    const world = open();
    world.set('never');
    const told: RequestFact[] = [];
    world.ask('c', request, (fact) => told.push(fact))();
    world.set(3);
    await specOf(world);
    expect(told).toEqual([]);
  });
});
