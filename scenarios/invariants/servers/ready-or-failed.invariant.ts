import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, hears } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

/** A server that was given up is tried again at intervals, for ever. */
const trialMs = 30_000;

interface Server {
  readonly name: string;
  /** Started by its config or by hand, and not stopped since. */
  isWanted: boolean;
  state: string;
  failure: unknown;
  /** Null outside a trial. */
  triedAt: number | null;
}
type Fields = { readonly name: string; readonly state: string; readonly failure: unknown };

const fine = new Set(['ready', 'standby', 'disabled']);
/** One that needs a login waits for a person, and one that lacks a value waits for that value. */
const rests = new Set(['open', 'idle', 'unauthorized', 'needsInput', 'unsupported']);

class ReadyOrFailed implements Judge<Crossing> {
  readonly #servers = new Map<string, Server>();

  take({ ev }: Crossing, at: number): undefined {
    const event = fieldsOfEvent<Fields>(ev);
    const { type, name = '' } = event;
    if (type === 'server.changed') return this.#changed(event, at);
    const server = this.#servers.get(name);
    if (type === 'closed' || type === 'createComputer') this.#servers.clear();
    else if (type === 'server.removed') this.#servers.delete(name);
    // A server that starts with the new config reports its start.
    else if (type === 'setServers') for (const each of this.#servers.values()) each.isWanted = false;
    else if (server) server.isWanted = type === 'startServer';
    return undefined;
  }
  #changed({ name = '', state = '', failure = null }: Partial<Fields>, at: number): undefined {
    const known = this.#servers.get(name);
    const isTrying = state === 'connecting';
    const since = known?.state === 'open' ? at : (known?.triedAt ?? null);
    this.#servers.set(name, {
      name,
      state,
      failure,
      isWanted: known?.isWanted === true || isTrying,
      triedAt: isTrying ? since : null,
    });
  }
  quiescent(at: number): FoundViolation[] {
    return [...this.#servers.values()].flatMap(({ name, isWanted, state, failure, triedAt }) => {
      if (fine.has(state) || (triedAt !== null && at - triedAt <= trialMs)) return [];
      if (state === 'idle' && !isWanted) return [];
      if (rests.has(state) && failure !== null && failure !== undefined) return [];
      const what = state === 'open' ? 'does not say why' : isWanted ? 'is wanted' : 'is not wanted';
      return [{ at: 'host:computer', what: `${name} is ${state}, and ${what}`, kind: 'liveness' }];
    });
  }
}

const becomes = (state: string, failure: unknown = null) =>
  hears('host:computer', 'server.changed', { name: 'files', state, failure });

export const readyOrFailed: Boundary = {
  reads: 'boundary',
  invariant: 'a wanted server is ready, or rests and says why',
  why: 'Once nothing goes wrong any more, each server comes up or is given up with a reason; none hangs in between (liveness).',
  sees: [
    ...['said server.changed', 'said server.removed', 'said closed', 'in startServer', 'in stopServer'],
    ...['in setServers', 'in createComputer'],
  ],
  open: () => new ReadyOrFailed(),
  violating: [
    {
      how: 'a handshake that never ends',
      seen: crossingsOf(becomes('connecting')),
      until: 'quiescent',
      said: 'is connecting, and is wanted',
    },
  ],
  passing: [
    {
      how: 'one that is ready',
      seen: crossingsOf(becomes('connecting'), becomes('ready')),
      until: 'quiescent',
    },
  ],
};
