import { fromCallback, type AnyActor, type AnyStateMachine, type EventObject } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { aggregatorMachine } from '../../machines/resources/aggregator.machine.ts';
import type {
  Address,
  Deadline,
  effects,
  Open,
  Post,
  PortRequest,
  TellOwned,
} from '../../machines/kernel/effects.ts';
import { blobsMachine } from '../../machines/blobs/blobs.machine.ts';
import { downloadMachine } from '../../machines/blobs/download.machine.ts';
import { callMachine } from '../../machines/call/call.machine.ts';
import { catalogMachine } from '../../machines/catalog/catalog.machine.ts';
import { clientMachine } from '../../machines/client/client.machine.ts';
import { connectionMachine } from '../../machines/client/connection.machine.ts';
import { computerMachine } from '../../machines/computer/computer.machine.ts';
import { linkMachine } from '../../machines/link/link.machine.ts';
import { offerMachine } from '../../machines/skills/offer.machine.ts';
import { officeMachine } from '../../machines/office/office.machine.ts';
import {
  isAnswer,
  type RequestFact,
  type Batch,
  type Emit,
  type PortInstance,
  type Ports,
} from '../../machines/kernel/ports.ts';
import { processMachine } from '../../machines/process/process.machine.ts';
import { questionMachine } from '../../machines/resources/question.machine.ts';
import { readMachine } from '../../machines/resources/read.machine.ts';
import { seatMachine } from '../../machines/office/seat.machine.ts';
import { serverCacheMachine } from '../../machines/resources/server-cache.machine.ts';
import { settingsMachine } from '../../machines/presenter/settings.machine.ts';
import { skillsMachine } from '../../machines/skills/skills.machine.ts';
import { uploadMachine } from '../../machines/uploads/upload.machine.ts';
import { viewMachine } from '../../machines/agent/view.machine.ts';
import { watchMachine } from '../../machines/resources/watch.machine.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { extended } from '../../machines/kernel/objects.ts';
import { type Directory, Handle, type Root } from './directory.ts';
import { compiled, type Stepping } from './stepper/stepper.ts';

export const machines: Readonly<Record<string, AnyStateMachine>> = {
  agent: agentMachine,
  blobs: blobsMachine,
  call: callMachine,
  catalog: catalogMachine,
  client: clientMachine,
  connection: connectionMachine,
  computer: computerMachine,
  desktop: aggregatorMachine,
  desktopView: viewMachine,
  download: downloadMachine,
  finder: aggregatorMachine,
  finderView: viewMachine,
  link: linkMachine,
  offer: offerMachine,
  office: officeMachine,
  process: processMachine,
  question: questionMachine,
  read: readMachine,
  seat: seatMachine,
  settings: settingsMachine,
  skills: skillsMachine,
  skillsView: viewMachine,
  upload: uploadMachine,
  cache: serverCacheMachine,
  view: viewMachine,
  watch: watchMachine,
};

/** The root is also the clock of its actor system. */
const rootOf = (self: object): Root => (self as AnyActor).clock as Root;

/** The port stays open as long as the state that invokes it is active. */
function instanceOf(port: Exclude<keyof Ports, 'request'>) {
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
    const open = directory.platform.ports[port] as (
      at: Address,
      input: unknown,
      emit: (f: EventObject) => void,
    ) => PortInstance;
    const emit = (ev: EventObject): void =>
      directory.enter({ k: 'in', via: 'leaf', a: at, ev }, handle, () => sendBack(ev));
    const instance = directory.guarded({ k: 'draw', a: at, port }, () => open(at, input, emit));
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
const actors = {
  process: instanceOf('process'),
  session: instanceOf('session'),
  link: instanceOf('link'),
  office: instanceOf('office'),
};

const filled = new WeakMap<Stepping, WeakMap<AnyStateMachine, AnyStateMachine>>();
/** Done once per process: nothing here belongs to one directory, so the tables of the machine are shared. */
function fill(machine: AnyStateMachine, steps: Stepping): AnyStateMachine {
  const all = filled.get(steps) ?? new WeakMap<AnyStateMachine, AnyStateMachine>();
  filled.set(steps, all);
  const known = all.get(machine);
  if (known) return known;
  const provided = machine.provide({ actions, actors } as unknown as Parameters<
    AnyStateMachine['provide']
  >[0]);
  const fresh = steps(provided, (self) => rootOf(self).directory.tap);
  all.set(machine, fresh);
  return fresh;
}

export function assemble(directory: Directory, kinds = machines, steps: Stepping = compiled): Directory {
  directory.kinds = Object.fromEntries(
    Object.entries(kinds).map(([kind, machine]) => [kind, fill(machine, steps)]),
  );
  return directory;
}
