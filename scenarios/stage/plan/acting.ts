import type { Harness } from '../harness.ts';
import type { AnyEventObject } from 'xstate';
import { collectionOfUri } from '../../../machines/resources/uri-collection.ts';
import { events } from '../../../machines/protocol/protocol.ts';
import { violationsOf, stagesOf } from './expectations.ts';
import { differing, type Plan, type Stage, type Step } from './plan.ts';
import { configOf, names, shuffled, type Wait, type Waits, type World } from './world.ts';

const standby: ReadonlySet<Stage | undefined> = new Set<Stage | undefined>([
  'ready',
  'open',
  'unauthorized',
  'idle',
  'standby',
]);
type Only<S, K> = S extends { readonly do: infer D } ? (D extends K ? S : never) : never;
type Do<K extends Step['do']> = Only<Step, K>;

const isOrder = (step: Step): step is Do<'start' | 'stop'> => step.do === 'start' || step.do === 'stop';
const isAgentCall = (step: Step): step is Do<'call'> => step.do === 'call' && step.by === 'agent';

/** It has no clock: the caller does the waiting. */
export class Acting {
  readonly #plan: Plan;
  readonly #world: World;
  /** Stage visits per server that earlier steps have already waited for. */
  readonly #cursors = new Map<string, number>();
  readonly violations: string[] = [];

  constructor(plan: Plan, world: World) {
    this.#plan = plan;
    this.#world = world;
  }
  *run(): Waits {
    yield* this.#world.boot();
    for (const [n, step] of this.#plan.steps.entries()) yield* this.#step(step, n + 1);
  }
  *#step(step: Step, n: number): Waits {
    const world = this.#world;
    if (step.do === 'ready') yield* this.#ready();
    else if (step.do === 'call') this.#call(step);
    else if (step.do === 'show') this.#show(step);
    else if (step.do === 'read') this.#read(step);
    else if (step.do === 'skill') this.#skill(step);
    else if (step.do === 'put' || step.do === 'fetch') world.transfer(step);
    else if (step.do === 'cancel') this.#cancel(step.call);
    else if (step.do === 'config') world.order('computer', configOf(this.#plan, step.servers));
    else if (isOrder(step)) world.order('computer', { type: `server.${step.do}`, server: step.server });
    else if (step.do === 'watch')
      world.order('computer', { type: 'resources.watch', server: step.server, uris: step.uris, by: 'host' });
    else if (step.do === 'values') world.specs.set(step.server, step.values, step.ms);
    else if (step.do === 'kill') world.kill(step.server, step.signal);
    else if (step.do === 'run') yield { ms: step.ms };
    else if (step.do === 'close') world.order(step.who, { type: 'close' });
    else if (step.do === 'begin') yield* world.begin(step.who);
    else if (step.do === 'clearFaults') world.clearFaults();
    else if (step.do === 'code') yield { act: step.act as (harness: Harness) => void | Promise<void> };
    else if (step.do === 'quiescent')
      yield { act: async () => void this.violations.push(...(await world.quiescent())) };
    else if (step.do === 'fault') yield* this.#fault(step, n);
    else if (step.do === 'expect') this.#expect(step, n);
    else if (step.do === 'reaches') yield* this.#reaches(step.server, step.stage);
    else yield this.#wait(step);
  }
  #wait(step: Do<'settled' | 'shown' | 'asked' | 'signalled' | 'heard' | 'ended'>): Wait {
    const { observed } = this.#world;
    if (step.do === 'settled')
      return {
        what: `${step.call} to settle`,
        until: () => (observed.calls.get(step.call)?.settled.length ?? 0) > 0,
      };
    if (step.do === 'shown')
      return {
        what: `an answer to ${step.ask}`,
        until: () => (observed.shown.get(step.ask)?.length ?? 0) > 0,
      };
    if (step.do === 'ended')
      return { what: 'the computer to end', until: () => observed.ended.has('computer') };
    if (step.do === 'heard')
      return {
        what: `the host of ${step.who} to hear ${step.event}`,
        until: () => observed.heardBy(step.who, step.event).length >= step.count,
      };
    const server = observed.server(step.server);
    if (step.do === 'asked')
      return {
        what: `${step.method} at ${step.server}`,
        until: () => (server.requests.get(step.method) ?? 0) >= step.count,
      };
    return {
      what: `${step.signal} to ${step.server}`,
      until: () => server.signals.filter((s) => s.name === step.signal).length >= step.count,
    };
  }
  *#ready(): Waits {
    const { observed } = this.#world;
    const { office } = this.#plan;
    const servers = this.#plan.servers.filter(({ isAbsent }) => !isAbsent);
    const rests = (): boolean => servers.every((s) => standby.has(observed.server(s.name).visits.at(-1)));
    const knows = (): boolean =>
      observed.heardBy('agent', 'view.toolsChanged').some(({ event }) => event['tools'] !== null);
    const joined = (): boolean =>
      stagesOf(observed, 'computer link').at(-1) === 'joined' &&
      stagesOf(observed, 'agent link').at(-1) === 'joined' &&
      knows();
    yield { what: 'everybody to be ready', until: () => rests() && (!office || joined()) };
    for (const { name } of servers) this.#cursors.set(name, observed.server(name).visits.length);
  }
  *#reaches(server: string, stage: Stage): Waits {
    const { visits } = this.#world.observed.server(server);
    const from = this.#cursors.get(server) ?? 0;
    yield { what: `${server} to be ${stage}`, until: () => visits.includes(stage, from) };
    this.#cursors.set(server, visits.indexOf(stage, from) + 1);
  }
  #call({ call: ticket, by, tool, params = {}, reqId, timeoutMs }: Do<'call'>): void {
    const call = { ticket, reqId, tool, params, timeoutMs };
    if (by === 'host')
      this.#world.ask('computer', ticket, { type: 'call.request', ...call, agent: null, isConfirmed: false });
    else this.#world.ask('agent', ticket, { type: 'agent.call', computer: names.computer, ...call });
  }
  #show({ ask, by, collection, query }: Do<'show'>): void {
    const method = collection === 'desktop' ? events.getDesktop : events.getFinder;
    if (by === 'agent') this.#query(ask, method, query);
    else this.#want(ask, { type: 'aggregate.wanted', collection, query });
  }
  #read({ ask, by, uri }: Do<'read'>): void {
    const read = collectionOfUri(uri);
    if (by === 'agent') this.#query(ask, events.readResource, { uri });
    else
      this.#want(ask, {
        type: 'resource.wanted',
        collection: read.ok ? read.body : ('finder' as const),
        uri,
      });
  }
  #skill({ ask, name }: Do<'skill'>): void {
    if (name === undefined) this.#query(ask, events.getSkills, {});
    else this.#query(ask, events.getSkill, { name });
  }
  #want(ticket: string, wanted: AnyEventObject): void {
    this.#world.ask('computer', ticket, { ...wanted, ticket, reqId: ticket });
  }
  #query(ticket: string, method: string, asked: object): void {
    const request = { computer: names.computer, ...asked };
    this.#world.ask('agent', ticket, { type: 'agent.query', ticket, reqId: ticket, method, request });
  }
  #cancel(ticket: string): void {
    const isIt = (s: Step): s is Do<'call'> => s.do === 'call' && s.call === ticket;
    const who = this.#plan.steps.find(isIt)?.by === 'agent' ? 'agent' : 'computer';
    this.#world.order(who, { type: 'call.cancel', ticket, reason: 'asked' });
  }
  #expect({ expect }: Do<'expect'>, n: number): void {
    const { observed, isExact } = this.#world;
    const excused = isExact ? new Set<never>() : differing(this.#plan);
    const reading = { observed, isExact, ticketOf: (call: string) => call };
    for (const violation of violationsOf(expect, reading, excused))
      this.violations.push(`step ${n}: ${violation}`);
  }
  *#fault({ fault, call, as = '' }: Do<'fault'>, n: number): Waits {
    const world = this.#world;
    const close = (): void => world.order('computer', { type: 'close' });
    if (fault.fault === 'host.stop') close();
    else if (fault.fault === 'host.stopTwice') {
      close();
      close();
    } else if (fault.fault === 'agent.cancelUnknown')
      world.order('agent', { type: 'call.cancel', ticket: 'nobody', reason: 'asked' });
    else if (fault.fault === 'agent.cancelBeforeCall') {
      const next = this.#plan.steps.slice(n).find(isAgentCall);
      if (next) this.#cancel(next.call);
    } else if (fault.fault === 'agent.duplicateCall') {
      const first = this.#plan.steps.filter(isAgentCall).find((step) => step.call === call);
      if (first) this.#call({ ...first, call: as });
    } else if (fault.fault === 'sched.swizzle') yield* this.#swizzle(Number(fault['servers']));
    else world.happen(fault);
  }
  *#swizzle(count: number): Waits {
    const chosen = shuffled(this.#plan.servers, this.#world.random).slice(0, count);
    for (const { name } of chosen) {
      this.#world.order('computer', { type: 'server.stop', server: name });
      yield* this.#reaches(name, 'idle');
    }
    for (const { name } of shuffled(chosen, this.#world.random)) {
      this.#world.order('computer', { type: 'server.start', server: name });
      yield* this.#reaches(name, 'ready');
    }
  }
}
