import { fromCallback, type AnyActor, type AnyStateMachine, type EventObject } from 'xstate';
import type {
  Address,
  Deadline,
  effects,
  Open,
  Post,
  PortRequest,
  TellOwned,
} from '../../machines/kernel/effects.ts';
import {
  isAnswer,
  portNameOf,
  type RequestFact,
  type Batch,
  type Emit,
  type PortInstance,
} from '../../machines/kernel/ports.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { extended } from '../../machines/kernel/objects.ts';
import { type Directory, Handle, type Root } from './directory.ts';
import type { Kinds } from './part.ts';
import { compiled, type Stepping } from './stepper/stepper.ts';

/** The root is also the clock of its actor system. */
const rootOf = (self: object): Root => (self as AnyActor).clock as Root;

/** The port stays open as long as the state that invokes it is active. */
function instanceOf(port: string) {
  type Received = EventObject | Batch<EventObject>;
  return fromCallback<Received, never>(({ self, input, sendBack, receive }) => {
    const root = rootOf(self);
    const { directory } = root;
    if (!root.isAlive) throw new Error(`${port} of a root that is gone`);
    const at = `${root.id}/${port}#${(root.leaves += 1)}`;
    const told = (ev: EventObject): void => directory.report({ k: 'out', port, a: at, ev });
    const opened: { instance?: PortInstance } = {};
    const handle = new Handle(root, 'leaf', at, () => {
      told({ type: 'leaf.close' });
      opened.instance?.close();
    });
    receive((event) => {
      for (const command of 'commands' in event ? event.commands : [event]) {
        told(command);
        const { instance } = opened;
        if (instance && handle.isLive)
          directory.guarded({ k: 'draw', a: at, port }, () => instance.tell(command));
      }
    });
    directory.report({ k: 'out', port, a: at, ev: { type: 'leaf.open', input } as EventObject });
    const emit = (ev: EventObject): void =>
      directory.enter({ k: 'in', via: 'leaf', a: at, ev }, handle, () => sendBack(ev));
    const instance = directory.guarded({ k: 'draw', a: at, port }, () =>
      directory.platform.ports.open(port, at, input as object, emit),
    );
    opened.instance = instance;
    // Closes a port that failed while it was being opened, because its state has been left already.
    if (!handle.isLive) instance.close();
    return () => handle.release();
  });
}

/** Without an actor, at half the cost of a port instance. A question with the same id withdraws the earlier one. */
function makeRequest(root: Root, request: PortRequest): void {
  const { directory } = root;
  const told = (ev: EventObject): void => directory.report({ k: 'out', port: 'ask', a: root.id, ev });
  root.request(request.id)?.release();
  const asked: { cancel?: () => void } = {};
  const handle = new Handle(root, 'ask', request.id, () => {
    told({ type: 'ask.withdraw', id: request.id } as EventObject);
    asked.cancel?.();
  });
  told(extended(request, { type: 'ask' }));
  const target = directory.find(request.target)?.id ?? request.target;
  const emit: Emit<RequestFact> = (ev) =>
    directory.enter({ k: 'in', via: 'ask', a: root.id, id: request.id, ev }, handle, () => {
      if (isAnswer(ev.type)) handle.forget();
      root.ref.send(ev);
    });
  try {
    asked.cancel = directory.platform.ports.request(root.id, extended(request, { target }), emit);
  } catch (error) {
    // Refuses parameters that JSON cannot hold. Without this answer the asker would wait for ever.
    const failure = { code: wireCodes.badRequest, message: `It could not be sent: ${String(error)}` };
    emit({ type: 'ask.refused', id: request.id, sent: false, failure });
  }
}

function setDeadline(root: Root, { ms, for: purpose = 'deadline', spread = 0 }: Deadline): void {
  if (ms === null) return;
  root.clearTimeout(root.deadline);
  const late = ms > 0 && spread > 0 ? Math.round(ms * spread * root.directory.random(root.id)) : 0;
  root.deadline = undefined;
  if (ms <= 0) return;
  const pass = (): void => root.ref.send({ type: 'deadline.passed' });
  root.deadline = root.startTimer('deadline', pass, ms + late, purpose);
}

const asks =
  <P>(perform: (root: Root, params: P) => void) =>
  ({ self }: { readonly self: object }, params: P): void =>
    perform(rootOf(self), params);
/** Makes an action that performs an effect after those that were asked for before it, if the root is still alive then. */
const does = <P>(perform: (root: Root, params: P) => void) =>
  asks<P>((root, params) =>
    root.directory.effect(root.id, () => {
      if (root.isAlive) perform(root, params);
    }),
  );
const actions: Record<keyof typeof effects, unknown> = {
  post: asks<Post>((root, post) => root.directory.post(root.id, post)),
  postAll: asks<{ messages: readonly Post[] }>((root, { messages }) => {
    for (const post of messages) root.directory.post(root.id, post);
  }),
  open: asks<Open>((root, open) => root.directory.open(root.id, open)),
  openAll: asks<{ opens: readonly Open[] }>((root, { opens }) => {
    for (const open of opens) root.directory.open(root.id, open);
  }),
  close: asks<{ to: Address }>((root, { to }) => root.directory.close(root.id, to)),
  tellOwned: asks<TellOwned>((root, told) => root.directory.tellOwned(root.id, told)),
  request: does<PortRequest>(makeRequest),
  cancel: does<{ id: string }>((root, { id }) => root.request(id)?.release()),
  setDeadline: does<Deadline>(setDeadline),
};
const instances = new Map<string, ReturnType<typeof instanceOf>>();
function instancesFor(machine: AnyStateMachine): object {
  const found: Record<string, ReturnType<typeof instanceOf>> = {};
  for (const [name, logic] of Object.entries(machine.implementations.actors)) {
    const port = portNameOf(logic);
    if (port === undefined) continue;
    const instance = instances.get(port) ?? instanceOf(port);
    instances.set(port, instance);
    found[name] = instance;
  }
  return found;
}

const filled = new WeakMap<Stepping, WeakMap<AnyStateMachine, AnyStateMachine>>();
/** Done once per process: nothing here belongs to one directory, so the tables of the machine are shared. */
function fill(machine: AnyStateMachine, steps: Stepping): AnyStateMachine {
  const all = filled.get(steps) ?? new WeakMap<AnyStateMachine, AnyStateMachine>();
  filled.set(steps, all);
  const known = all.get(machine);
  if (known) return known;
  const actors = instancesFor(machine);
  const provided = machine.provide({ actions, actors } as unknown as Parameters<
    AnyStateMachine['provide']
  >[0]);
  const fresh = steps(provided, (self) => rootOf(self).directory.tap);
  all.set(machine, fresh);
  return fresh;
}

const inProcess: Record<string, AnyStateMachine> = {};
/** Machines that hosts of this process open, by their kind. */
export const kindsInProcess: Kinds = inProcess;

/** Gives the directory its machines, with their ports. */
export function assemble(directory: Directory, kinds: Kinds, steps: Stepping = compiled): Directory {
  Object.assign(inProcess, kinds);
  directory.kinds = Object.fromEntries(
    Object.entries(kinds).map(([kind, machine]) => [kind, fill(machine, steps)]),
  );
  return directory;
}
