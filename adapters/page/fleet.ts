import { textOf } from '../../machines/trace/row.ts';
import { hostPath, type HostFacts } from '../../machines/inspection.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import { connectionsOf, joinedOf, type Connection, type JoinedCall } from './joined.ts';
import { fleetFragmentOf, fleetViewOf, isHistoryStep, viewOf, withToken, type FleetView } from './choice.ts';
import type { Session } from './session.ts';

/** State of a page of several hosts or files: the session of each, their joined calls, and the choices of the person. */

const roots: ReadonlySet<string> = new Set(['agent', 'office', 'computer']);
/** For a file, these are the facts of the hosts that it recorded. */
function factsOf({ host, history }: Session): HostFacts {
  const facts: HostFacts = host ?? { kind: 'file', name: '', pid: null, started: null, version: '' };
  if (facts.kind !== 'file') return facts;
  const recorded = history.lanes.filter(({ address, kind }) => !address.includes('/') && roots.has(kind));
  const kinds = new Set(recorded.map(({ kind }) => kind));
  const kind = kinds.size > 1 ? 'up' : recorded[0]?.kind;
  const link = [...history.at(Infinity).values()].find((each) => each.kind === 'link')?.context;
  const input = history.lanes.find((each) => each.kind === 'link')?.input;
  const name = textOf(fieldsOf(link)['name']) || textOf(fieldsOf(input)['name']);
  return { ...facts, kind: (kind ?? 'file') as HostFacts['kind'], name: name === '' ? facts.name : name };
}

/** Facts of all hosts together. Times are those of the clock of each host. */
export interface FleetSeen {
  readonly facts: readonly HostFacts[];
  readonly calls: readonly JoinedCall[];
  readonly connections: readonly Connection[];
}
export class Fleet {
  readonly sessions: Session[] = [];
  #view: FleetView;
  readonly #open: (path: string) => Session;
  #listener: () => void = () => {};
  #chosen: (isStep: boolean) => void = () => {};
  #joined: { readonly calls: readonly JoinedCall[]; readonly key: string } | undefined;

  /** `open` attaches to the host at a path of the server; `fragment` is that with which the page begins. */
  constructor(open: (path: string) => Session, fragment: string) {
    this.#open = open;
    this.#view = fleetViewOf(fragment);
  }
  onChange(listener: () => void): void {
    this.#listener = listener;
  }
  /** The argument tells whether the Back button takes the change back. */
  onChoose(listener: (isStep: boolean) => void): void {
    this.#chosen = listener;
  }
  take(hosts: readonly HostFacts[]): void {
    for (let n = this.sessions.length; n < hosts.length; n += 1) this.add(this.#open(hostPath(n)));
  }
  add(session: Session): void {
    const host = this.sessions.push(session) - 1;
    session.onChoose((before, after) => this.host === host && this.#chosen(isHistoryStep(before, after)));
    this.#listener();
  }
  get host(): number | undefined {
    return this.#view.host;
  }
  get call(): string | undefined {
    return this.#view.call;
  }
  get shown(): Session | undefined {
    return this.host === undefined ? undefined : this.sessions[this.host];
  }
  choose(change: Partial<FleetView>): void {
    this.#view = { ...this.#view, ...change };
    this.#chosen(true);
    this.#listener();
  }
  showCall(host: number, ticket: string): void {
    this.choose({ host });
    this.sessions[host]?.choose({ panel: 'calls', call: ticket });
  }
  fragmentFrom(present: string): string {
    return fleetFragmentOf(this.#view, this.shown?.fragmentFrom(present) ?? withToken(present));
  }
  show(fragment: string): void {
    this.#view = fleetViewOf(fragment);
    this.shown?.show(viewOf(fragment));
    this.#listener();
  }
  /** The calls are joined again when one began or ended. */
  get seen(): FleetSeen {
    const hosts = this.sessions.map((session) => ({
      facts: factsOf(session),
      calls: session.story.calls.all,
      alive: session.history.at(session.phase === 'file' ? session.at : Infinity),
    }));
    const facts = hosts.map((host) => host.facts);
    const key = this.sessions.map(({ story }, n) => `${story.calls.revision} ${facts[n]?.kind}`).join();
    if (this.#joined?.key !== key) this.#joined = { key, calls: joinedOf(hosts) };
    const { calls } = this.#joined;
    return { facts, calls, connections: connectionsOf(hosts) };
  }
}
