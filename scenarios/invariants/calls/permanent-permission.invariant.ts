import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  crossingsOf,
  hostCalls,
  crossingIn,
  drawCrossing,
  crossingOut,
  callSent,
  computerStarts,
} from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';
import type { Verdict } from './calls-need-permission.invariant.ts';

interface Caller {
  readonly isFar: boolean;
  /** Null when the host itself calls. */
  readonly agent: string | null;
  readonly conversation: string | undefined;
}
interface Call extends Caller {
  readonly tool: string;
  readonly isConfirmed: boolean;
  /** Launch config of each server at the time of the call. */
  generations: Generations;
  /** Permissions given before the call. */
  allowed: readonly Allowed[];
  /** Tells whether the built-in rule requires a person. */
  needsPerson: boolean;
  wasAsked: boolean;
}
interface Allowed extends Caller {
  readonly server: string;
  readonly tool: string;
}
type Generations = Readonly<Record<string, number | undefined>>;
interface Config {
  readonly known: Readonly<Record<string, { readonly generation: number }>>;
  readonly plan: {
    readonly servers: readonly { rules: { server: string }; client: { generation: number } }[];
  };
}
/** Another number of a server means another program. */
function generationsIn({ known = {}, plan }: Partial<Config>): Generations {
  const planned = plan?.servers.map(({ rules, client }) => [rules.server, client.generation] as const);
  return Object.fromEntries(
    planned ?? Object.entries(known).map(([server, { generation }]) => [server, generation]),
  );
}

class PermanentPermission implements Judge<Crossing> {
  readonly #calls = new RecentMap<string, Call>();
  /** Undefined when the computer was started before the first record, so that its permissions are unknown. */
  #generations: Generations | undefined;
  #allowed: readonly Allowed[] = [];

  take({ k, ch, ev, v, req = '' }: Crossing): FoundViolation | undefined {
    const event = fieldsOfEvent<Fields>(ev);
    const call = this.#calls.get(req);
    switch (event.type) {
      case 'createComputer':
        this.#allowed = [];
        this.#generations = generationsIn(event);
        return undefined;
      case 'setServers':
        return this.#set(generationsIn(event));
      case 'callTool':
      case 'agent.called': {
        const { agent = null, conversation, tool = '', confirmed: isConfirmed = false } = event;
        const open = { generations: {}, allowed: [], needsPerson: false, wasAsked: false };
        const isFar = event.type === 'agent.called';
        this.#calls.set(req, { isFar, agent, conversation, tool, isConfirmed, ...open });
        return undefined;
      }
      case 'leave':
      case 'link.down':
      case 'agent.left':
        // Permissions of a remote caller end here, because the next holder of the seat may be another peer.
        this.#allowed = this.#allowed.filter(({ isFar }) => !isFar);
        return undefined;
    }
    if (!call || !this.#generations) return undefined;
    if (k === 'draw') Object.assign(call, { generations: this.#generations, allowed: this.#allowed });
    if (k === 'draw' || ch.startsWith('ask judge ')) {
      call.needsPerson =
        ((k === 'draw' ? v : event.result) as Verdict | null)?.decision === 'ask' && !call.isConfirmed;
      return undefined;
    }
    const { params: { server = '' } = {}, result } = event;
    if (k === 'in') this.#approve(call, result?.decision, ch);
    else if (ch.startsWith('ask confirm ')) return this.#asks(call, ch, server);
    else if (call.needsPerson && !call.wasAsked && !call.allowed.some(covers(call)))
      return {
        at: ch,
        what: `'${call.tool}' counts as allowed, and nobody allowed it to this caller and this launch config`,
      };
    return undefined;
  }
  readonly #asked = new RecentMap<string, string>();
  #asks(call: Call, at: string, server: string): FoundViolation | undefined {
    call.wasAsked = true;
    this.#asked.set(at, server);
    if (!call.allowed.some(covers(call))) return undefined;
    return { at, what: `a person was asked about '${call.tool}', which was allowed for good` };
  }
  #approve(call: Call, decision: string | undefined, ch: string): void {
    const server = this.#asked.get(ch) ?? '';
    const { isFar, agent, conversation, tool, generations } = call;
    if (decision !== 'allowForSession' || this.#generations?.[server] !== generations[server]) return;
    this.#allowed = [...this.#allowed, { isFar, agent, conversation, tool, server }];
  }
  #set(next: Generations): undefined {
    const before = this.#generations;
    this.#generations = next;
    this.#allowed = this.#allowed.filter(({ server }) => next[server] === before?.[server]);
  }
}
type Fields = Config & {
  readonly agent: string | null;
  readonly conversation: string;
  readonly tool: string;
  readonly confirmed: boolean;
  readonly result: Verdict | null;
  readonly params: { readonly server?: string };
};
const covers = (call: Call) => (one: Allowed) =>
  one.tool === call.tool &&
  one.isFar === call.isFar &&
  one.agent === call.agent &&
  one.conversation === call.conversation;

const known = (generation: number, name = 'files') => ({ known: { [name]: { generation } } });
const born = computerStarts({}, known(1));
const judged = (req: string) =>
  drawCrossing('judge of files x', { problems: [], decision: 'ask', reason: 'x' }, req);
const host = (req: string, more = {}) => [hostCalls('host:computer', more, req), judged(req)];
const confirm = 'ask confirm of confirm {}';
const asked = (req: string) =>
  crossingOut(`${confirm}/${req}`, 'ask', { params: { server: 'files', tool: 'read' } }, req);
const says = (req: string, decision = 'allowForSession') =>
  crossingIn(`${confirm}/${req}`, 'ask.answered', { result: { decision } }, req);
const allowed = [born, ...host('r1'), asked('r1'), says('r1')];
const again = 'which was allowed for good';

export const permanentPermission: Boundary = {
  reads: 'boundary',
  invariant:
    'a permanent permission is not asked for again, and covers only the same caller and launch facts',
  why: 'A person says it once; another program under the same name, or another caller, is not what was allowed.',
  sees: [
    ...[
      'in createComputer',
      'in setServers',
      'in callTool',
      'in agent.called',
      'in link.down',
      'in leave',
      'in agent.left',
    ],
    ...['draw judge', 'in ask judge', 'in ask confirm', 'out ask confirm', 'out ask tools/call'],
  ],
  open: () => new PermanentPermission(),
  violating: [
    {
      how: 'a computer that forgets it',
      seen: crossingsOf(...allowed, ...host('r2'), asked('r2')),
      said: again,
    },
  ],
  passing: [{ how: 'one that runs unasked', seen: crossingsOf(...allowed, ...host('r2'), callSent('r2')) }],
};
