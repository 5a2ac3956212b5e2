import { defaultStateDir } from '../../adapters/host-files.ts';
import { runningHosts } from '../../adapters/inspector/registry.ts';
import { systemClock } from '../../adapters/clock.ts';
import type { AttachedPage, PageListener } from '../../adapters/inspector/server.ts';
import type { HostFacts } from '../../machines/inspection.ts';
import { openPages } from './inspections.ts';
import type { Inspection } from '../api/page.ts';

export interface FleetMember {
  readonly facts: HostFacts;
  attach(page: AttachedPage): PageListener;
}
export interface Fleet extends Inspection {
  add(member: FleetMember): void;
}
export async function openFleet(first: readonly FleetMember[], port = 0): Promise<Fleet> {
  const members = [...first];
  const whole = new Set<AttachedPage>();
  const tell = (page: AttachedPage): void =>
    page.send({ type: 'fleet', hosts: members.map(({ facts }) => facts) });
  const served = await openPages(port, (page, host) => {
    if (host !== undefined) return members[host]?.attach(page);
    whole.add(page);
    tell(page);
    const answer: PageListener['heard'] = ({ id }) =>
      page.send({ type: 'answer', id, ok: false, error: 'Ask one of the hosts' });
    return { heard: answer, left: () => void whole.delete(page) };
  });
  const add = (member: FleetMember): void => {
    members.push(member);
    for (const page of whole) tell(page);
  };
  return { ...served, add };
}

const lookMs = 1_000;
/** Also of hosts that start later. There may be none at first. */
export async function openRunning({ port = 0, stateDir = defaultStateDir() } = {}): Promise<Fleet> {
  const known = new Set<string>();
  const { bridgeTo } = await import('../../adapters/inspector/bridge.ts');
  const found = async (): Promise<FleetMember[]> => {
    const hosts = await runningHosts(stateDir);
    const fresh = hosts.filter(({ url, answers }) => answers && !known.has(url));
    for (const { url } of fresh) known.add(url);
    return fresh.map(({ url, answers: _, ...facts }) => ({ facts, attach: (page) => bridgeTo(url, page) }));
  };
  const fleet = await openFleet(await found(), port);
  let isOver = false;
  let timer: unknown;
  const look = async (): Promise<void> => {
    const fresh = await found();
    if (isOver) return;
    for (const member of fresh) fleet.add(member);
    timer = systemClock.setTimeout(() => void look(), lookMs);
  };
  timer = systemClock.setTimeout(() => void look(), lookMs);
  const close = async (): Promise<void> => {
    isOver = true;
    systemClock.clearTimeout(timer);
    await fleet.close();
  };
  return { ...fleet, close, [Symbol.asyncDispose]: close };
}
