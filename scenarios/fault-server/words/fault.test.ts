import { describe, expect, it } from 'vitest';
import { randomOf } from '../../stage/virtual-clock.ts';
import { drawFaults, layers, parseFault, parseFaults, vocabulary, wordOf, type Fault } from './fault.ts';

const ofServers = ['server', 'launch'];
const places: Readonly<Record<string, readonly string[]>> = {
  ...{ proc: ofServers, frame: ofServers, life: ofServers, rpc: ofServers },
  ...{ notify: ofServers, list: ofServers, resource: ofServers },
  net: ['net', 'server'],
  ...{ blob: ['host'], skill: ['host'] },
};

describe('the vocabulary', () => {
  it('has each word once, under its layer, layer by layer', () => {
    const names = vocabulary.map(({ fault }) => fault);
    expect(new Set(names).size).toBe(names.length);
    for (const { fault, layer } of vocabulary)
      expect(fault).toMatch(new RegExp(`^${layer}\\.[a-z][A-Za-z0-9]+$`));
    expect([...new Set(vocabulary.map(({ layer }) => layer))]).toEqual([...layers]);
  });

  it('says when for what a server does, and leaves it to the player elsewhere', () => {
    for (const { where, when, fault } of vocabulary)
      expect([fault, when !== undefined]).toEqual([fault, where === 'server' || where === 'launch']);
  });

  it('says where a word is done: servers, their launches and the net have more than one place', () => {
    for (const { layer, where, fault } of vocabulary)
      expect(places[layer] ?? [layer], fault).toContain(where);
  });

  it('says what needs a process of ours and what a URL: processes and frames the one, HTTP the other', () => {
    const ways: Readonly<Record<string, string>> = { proc: 'stdio', frame: 'stdio', 'net server': 'http' };
    for (const { layer, where, over, fault } of vocabulary)
      expect([fault, over]).toEqual([fault, ways[layer] ?? ways[`${layer} ${where}`]]);
  });

  it('has defaults and ranges that its own rules allow', () => {
    for (const { fault, params, when, later } of vocabulary) {
      if (later !== undefined) continue;
      for (const moment of when ?? [undefined])
        expect(parseFault({ fault, ...(moment && { when: moment }) })).toMatchObject({ fault });
      for (const [name, param] of Object.entries(params))
        if (param.type === 'integer')
          for (const bound of param.oneOf ?? param.draw)
            expect(parseFault({ fault, [name]: bound })).toHaveProperty([name], bound);
    }
  });
});

describe('a fault', () => {
  it('is read with its moment and its parameters filled in', () => {
    expect(parseFault({ fault: 'proc.exit' })).toEqual({ fault: 'proc.exit', when: 'call', code: 1 });
    const whole = { fault: 'proc.exit', code: 2, when: 'ready', afterMs: 5, from: 2, times: 1, p: 0.5 };
    expect(parseFault(whole)).toEqual(whole);
    expect(parseFault({ fault: 'host.stop' })).toEqual({ fault: 'host.stop' });
    expect(parseFault({ fault: 'rpc.late', tool: 'read' })).toMatchObject({ tool: 'read', ms: 1000 });
  });

  it.each([
    [{ fault: 'proc.exti' }, 'did you mean proc.exit'],
    [{ fault: 'exit' }, 'did you mean proc.exit'],
    [{ fault: 'rpc.kill' }, 'proc.kill'],
    [{ fault: 'proc.stderflood' }, 'did you mean proc.stderrFlood?'],
    [{ fault: 'something.elseEntirely' }, 'words.json has them all'],
    [{ fault: 'rpc.late', mss: 3 }, 'rpc.late: unknown parameter mss — did you mean ms'],
    [{ fault: 'rpc.late', afterMS: 3 }, 'did you mean afterMs'],
    [{ fault: 'rpc.late', ms: '3' }, 'rpc.late.ms: '],
    [{ fault: 'rpc.late', when: 'sigterm' }, 'rpc.late.when: '],
    [{ fault: 'net.httpStatus', status: 418 }, 'net.httpStatus.status: '],
    [{ fault: 'host.stop', when: 'call' }, 'host.stop: unknown parameter when'],
    [{ fault: 'host.configReload' }, 'waits for a config that changes'],
    [{}, 'it has no fault'],
    ['proc.exit', 'a fault is an object'],
  ])('is refused when nobody knows it: %j', (fault, text) => {
    expect(() => parseFault(fault)).toThrow(text);
  });

  it('is told with its place in a list', () => {
    expect(() => parseFaults([{ fault: 'proc.exit' }, { fault: 'proc.exti' }])).toThrow(
      /^\[1\] unknown fault/,
    );
    expect(parseFaults([{ fault: 'proc.exit' }])).toHaveLength(1);
  });
});

describe('a swarm', () => {
  const drawn = (seed: number): ReturnType<typeof drawFaults> =>
    drawFaults(randomOf(seed), { tools: ['read'] });
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);

  it('is the same for the same seed', () => {
    expect(drawn(5)).toEqual(drawn(5));
    expect(drawn(5)).not.toEqual(drawn(6));
  });

  it('has at least one fault on, weights from 1 to 100, and only faults that can be read', () => {
    for (const seed of seeds) {
      const swarm = drawn(seed);
      expect(swarm.length).toBeGreaterThan(0);
      for (const { weight, fault } of swarm) {
        expect(weight).toBeGreaterThanOrEqual(1);
        expect(weight).toBeLessThanOrEqual(100);
        expect(parseFault(fault)).toEqual(fault);
      }
    }
  });

  it('comes to every word that can be done, and leaves some out each time', () => {
    const can = vocabulary.filter(({ later }) => later === undefined);
    const seen = new Set(seeds.flatMap((seed) => drawn(seed).map(({ fault }) => fault.fault)));
    expect(seen).toEqual(new Set(can.map(({ fault }) => fault)));
    expect(seeds.filter((seed) => drawn(seed).length < can.length / 2).length).toBeGreaterThan(100);
  });

  it('keeps to what it is given', () => {
    const words = drawFaults(randomOf(1), { among: ({ where }) => where === 'agent' });
    for (const { fault } of words) expect(wordOf(fault.fault)?.where).toBe('agent');
    expect(drawFaults(randomOf(1), { among: () => false })).toEqual([]);
    const tools = seeds.flatMap((seed) => drawn(seed).map(({ fault }: { fault: Fault }) => fault.tool));
    expect(new Set(tools)).toEqual(new Set([undefined, 'read']));
  });
});
