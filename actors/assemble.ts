import { fromCallback, type AnyActorRef, type AnyStateMachine, type EventObject } from 'xstate';
import { agentMachine } from '../machines/agent.machine.ts';
import type { Address } from '../machines/address.ts';
import { callMachine } from '../machines/call.machine.ts';
import { clientMachine } from '../machines/client.machine.ts';
import { computerMachine } from '../machines/computer.machine.ts';
import type { Deadline, effects, Open, Post, Question, TellOwned } from '../machines/effects.ts';
import { linkMachine } from '../machines/link.machine.ts';
import { officeMachine } from '../machines/office.machine.ts';
import type { AskFact, Batch, Give, Leaf, Ports } from '../machines/ports.ts';
import { processMachine } from '../machines/process.machine.ts';
import { seatMachine } from '../machines/seat.machine.ts';
import { viewMachine } from '../machines/view.machine.ts';
import { wireCodes } from '../machines/wire/index.ts';
import type { Directory } from './directory.ts';
import { Handle, type Root } from './root.ts';

/** Every kind of root by the name under which machines open it. */
export const machines: Readonly<Record<string, AnyStateMachine>> = {
  agent: agentMachine,
  call: callMachine,
  client: clientMachine,
  computer: computerMachine,
  link: linkMachine,
  office: officeMachine,
  process: processMachine,
  seat: seatMachine,
  view: viewMachine,
};

const rootOf = (ref: AnyActorRef): AnyActorRef => (ref._parent ? rootOf(ref._parent) : ref);
interface Scope {
  readonly self: AnyActorRef;
}

/** A port with a lifetime: invoked by a machine, open as long as its state. */
function leafOf(directory: Directory, port: Exclude<keyof Ports, 'ask'>) {
  type Received = EventObject | Batch<EventObject>;
  return fromCallback<Received, never>(({ self, input, sendBack, receive }) => {
    const root = directory.find(rootOf(self).id);
    if (!root) throw new Error(`${port} of a root that is gone`);
    const at = root.restored?.leaves.shift() ?? `${root.id}/${port}#${(root.leaves += 1)}`;
    const told = (ev: EventObject): void => directory.report({ k: 'out', port, a: at, ev });
    const opened: { leaf?: Leaf } = {};
    const handle = new Handle(root, 'leaf', at, () => {
      told({ type: 'leaf.close' });
      opened.leaf?.close();
    });
    receive((event) => {
      for (const command of 'commands' in event ? event.commands : [event]) {
        told(command);
        if (handle.isLive) opened.leaf?.tell(command);
      }
    });
    directory.report({ k: 'out', port, a: at, ev: { type: 'leaf.open', input } as EventObject });
    const open = directory.platform.ports[port] as (
      at: Address,
      input: unknown,
      give: (f: EventObject) => void,
    ) => Leaf;
    const give = (ev: EventObject): void =>
      directory.enter({ k: 'in', via: 'leaf', a: at, ev }, handle, () => sendBack(ev));
    const leaf = directory.guarded({ k: 'draw', a: at, port }, () => open(at, input, give));
    opened.leaf = leaf;
    // It failed while it was being opened, and its state is left already.
    if (!handle.isLive) leaf.close();
    return () => handle.release();
  });
}

/** A question without an actor: half the price of a leaf. The same id again withdraws the older one. */
function performAsk(directory: Directory, from: Address, question: Question): void {
  const root = directory.find(from);
  if (root) ask(directory, root, question);
}
export function ask(directory: Directory, root: Root, question: Question): void {
  const told = (ev: EventObject): void => directory.report({ k: 'out', port: 'ask', a: root.id, ev });
  root.questions.get(question.id)?.release();
  const asked: { withdraw?: () => void } = {};
  const handle = new Handle(root, 'ask', question.id, () => {
    root.questions.delete(question.id);
    told({ type: 'ask.withdraw', id: question.id } as EventObject);
    asked.withdraw?.();
  });
  root.questions.set(question.id, handle);
  told({ type: 'ask', ...question });
  const session = directory.find(question.session)?.id ?? question.session;
  const give: Give<AskFact> = (ev) =>
    directory.enter({ k: 'in', via: 'ask', a: root.id, id: question.id, ev }, handle, () => {
      handle.forget();
      root.questions.delete(question.id);
      root.ref.send(ev);
    });
  try {
    asked.withdraw = directory.platform.ports.ask(root.id, { ...question, session }, give);
  } catch (error) {
    // Such as parameters that no JSON can hold. Whoever asks must hear of it, or it waits for ever.
    const failure = { code: wireCodes.badRequest, message: `It could not be sent: ${String(error)}` };
    give({ type: 'ask.refused', id: question.id, sent: false, failure });
  }
}

function performDeadline(directory: Directory, from: Address, { ms, spread = 0 }: Deadline): void {
  const root = directory.find(from);
  if (!root) return;
  root.clearTimeout(root.deadline);
  const late = spread > 0 ? Math.round(ms * spread * directory.random(root.id)) : 0;
  root.deadline = undefined;
  if (ms > 0) startDeadline(root, ms + late);
}
export function startDeadline(root: Root, ms: number): void {
  root.deadline = root.startTimer('deadline', () => root.ref.send({ type: 'deadline.passed' }), ms);
}

/** Fills the names that machines use, effects and ports, with a directory and its platform. */
export function assemble(directory: Directory, kinds = machines): Directory {
  const from = (scope: Scope): Address => rootOf(scope.self).id;
  const d = directory;
  const actions: { [K in keyof typeof effects]: (scope: Scope, params: never) => void } = {
    post: (scope, p: Post) => d.post(from(scope), p),
    postAll: (scope, p: { letters: readonly Post[] }) =>
      p.letters.forEach((post) => d.post(from(scope), post)),
    open: (scope, p: Open) => d.open(from(scope), p),
    openAll: (scope, p: { opens: readonly Open[] }) => p.opens.forEach((open) => d.open(from(scope), open)),
    close: (scope, p: { to: Address }) => d.close(from(scope), p.to),
    tellOwned: (scope, p: TellOwned) => d.tellOwned(from(scope), p.kind, p.event),
    ask: (scope, p: Question) => d.effect(from(scope), () => performAsk(d, from(scope), p)),
    withdraw: (scope, p: { id: string }) =>
      d.effect(from(scope), () => d.find(from(scope))?.questions.get(p.id)?.release()),
    setDeadline: (scope, p: Deadline) => d.effect(from(scope), () => performDeadline(d, from(scope), p)),
  };
  const actors = {
    process: leafOf(d, 'process'),
    session: leafOf(d, 'session'),
    link: leafOf(d, 'link'),
    office: leafOf(d, 'office'),
  };
  const filled = { actions, actors } as unknown as Parameters<AnyStateMachine['provide']>[0];
  d.kinds = Object.fromEntries(
    Object.entries(kinds).map(([kind, machine]) => [kind, machine.provide(filled)]),
  );
  return d;
}
