import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkFact, OfficeFact } from '../../../../machines/kernel/ports.ts';
import { SteppingClock } from '../../../contracts/link/link-clock.ts';
import { createNetwork, type Network } from './network.ts';

let clock: SteppingClock;
let network: Network;
let officeFacts: string[];
const openOffice = (port = 3000): ReturnType<Network['office']> =>
  network.office(
    'office#1',
    { host: '127.0.0.1', port },
    (fact: OfficeFact) => void officeFacts.push(fact.type),
  );
const openLink = (name: string): { facts: string[]; instance: ReturnType<Network['link']> } => {
  const facts: string[] = [];
  const input = {
    url: 'http://127.0.0.1:3000/',
    role: 'computer',
    name,
    office: 'o',
    key: name,
    version: '0.2.0',
  } as const;
  const instance = network.link(
    `${name}#1`,
    input,
    (fact: LinkFact) => void facts.push(`${clock.now()} ${fact.type}`),
  );
  return { facts, instance };
};

beforeEach(() => {
  clock = new SteppingClock();
  network = createNetwork(clock, { latencyMs: 10 });
  officeFacts = [];
});

describe('the scripted network', () => {
  it('takes its latency for every step, and the same one each time', () => {
    openOffice();
    clock.runTo(100);
    const { facts } = openLink('c');
    clock.runTo(200);
    expect(facts).toEqual(['120 link.up']);
  });
  it('drops a link at once, on both sides', () => {
    openOffice();
    clock.runTo(100);
    const [one, two] = [openLink('one'), openLink('two')];
    clock.runTo(200);
    network.faults.dropLink('one');
    expect([one.facts.at(-1), two.facts.at(-1), officeFacts.at(-1)]).toEqual([
      '200 link.down',
      '120 link.up',
      'socket.closed',
    ]);
    expect(network.audit()).toEqual({ connections: 1, inFlight: 0 });
  });
  it('refuses as many connects as it was told', () => {
    openOffice();
    clock.runTo(100);
    network.faults.refuseConnects(1);
    const [one, two] = [openLink('one'), openLink('two')];
    clock.runTo(200);
    expect([one.facts, two.facts]).toEqual([['110 link.refused'], ['120 link.up']]);
  });
  it('kills an office without a word to its machine, and frees its port', () => {
    openOffice();
    clock.runTo(100);
    const [up, connecting] = [openLink('up'), openLink('connecting')];
    clock.runTo(115);
    network.faults.killOffice();
    const told = officeFacts.length;
    clock.runTo(200);
    expect([up.facts, connecting.facts]).toEqual([['115 link.refused'], ['115 link.refused']]);
    openOffice();
    clock.runTo(300);
    expect(officeFacts.slice(told)).toEqual(['office.opened']);
  });
  it('delivers what was sent before a polite end, and nothing after', () => {
    openOffice();
    clock.runTo(100);
    const end = network.connect('http://localhost:3000');
    end?.emit('server:join_office', { role: 'agent', name: 'a', office_id: 'o' });
    end?.close('bye');
    end?.emit('server:join_office', { role: 'agent', name: 'b', office_id: 'o' });
    clock.runTo(200);
    expect(officeFacts).toEqual(['office.opened', 'socket.opened', 'socket.joins', 'socket.closed']);
  });
});
