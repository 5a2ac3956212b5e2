import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventFrom, InputFrom } from 'xstate';
import type { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { viewMachine } from '../../machines/agent/view.machine.ts';
import type { callMachine } from '../../machines/call/call.machine.ts';
import { callKind, type CallStart } from '../../machines/call/call.rules.ts';
import { catalogKind } from '../../machines/catalog/catalog.rules.ts';
import type { catalogMachine } from '../../machines/catalog/catalog.machine.ts';
import { clientKind } from '../../machines/client/client.events.ts';
import type { clientMachine } from '../../machines/client/client.machine.ts';
import type { connectionMachine } from '../../machines/client/connection.machine.ts';
import type { computerMachine } from '../../machines/computer/computer.machine.ts';
import {
  childOf,
  type AddressFor,
  message,
  open,
  post,
  toOwned,
  type Post,
} from '../../machines/kernel/effects.ts';
import type { ToolsWanted } from '../../machines/link/questions.ts';
import type { linkMachine } from '../../machines/link/link.machine.ts';
import { linkKind } from '../../machines/link/link.events.ts';
import type { officeMachine } from '../../machines/office/office.machine.ts';
import type { offerMachine } from '../../machines/skills/offer.machine.ts';
import type { skillsMachine } from '../../machines/skills/skills.machine.ts';
import type { uploadMachine } from '../../machines/uploads/upload.machine.ts';
import type { seatMachine } from '../../machines/office/seat.machine.ts';
import { processKind, type processMachine } from '../../machines/process/process.machine.ts';
import type { aggregatorMachine } from '../../machines/resources/aggregator.machine.ts';
import type { questionMachine } from '../../machines/resources/question.machine.ts';
import type { serverCacheMachine } from '../../machines/resources/server-cache.machine.ts';
import type { watchMachine } from '../../machines/resources/watch.machine.ts';

const client = childOf('computer#1', clientKind, 'a/b');
const link = childOf('computer#1', linkKind);
const catalog = childOf(client, catalogKind, 'tools');

describe('a message', () => {
  it('goes only to whom takes it', () => {
    expect(post(client, { type: 'server.start' })).toEqual({
      to: 'computer/client:a%2Fb',
      event: { type: 'server.start' },
    });
    // @ts-expect-error: a client accepts no event of this type
    post(client, { type: 'server.begin' });
    // @ts-expect-error: the cancel has no reason
    post(client, { type: 'call.cancel', ticket: 't' });
    // @ts-expect-error: the event has a field that a client does not read
    post(client, { type: 'server.start', server: 'a' });
    // @ts-expect-error: this event is for a call, not for a client
    post(client, { type: 'call.hold' });
    // @ts-expect-error: a plain string does not tell which machine lives at the address
    post('computer/client:a', { type: 'server.start' });
    // @ts-expect-error: a message must be made by a builder, not by hand
    const made: Post = { to: client, event: { type: 'server.begin' } };
    // @ts-expect-error: the message for an undelivered one must be made by a builder, too
    post(client, { type: 'close' }, { onUndelivered: { to: link, event: { type: 'begin' } } });
    expect(made).toBeDefined();
  });

  it('is one that a kind takes when it goes to all of that kind', () => {
    expect(toOwned(callKind, { type: 'call.hold' })).toEqual({ kind: 'call', event: { type: 'call.hold' } });
    // @ts-expect-error: this event is for a process, not for a call
    toOwned(callKind, { type: 'process.hurry' });
  });

  it('opens a kind only with its own input', () => {
    // @ts-expect-error: the input of a process has no timing here
    const opened = open(processKind, { server: 'a', generation: 1, spec: 1 });
    expect(opened).toMatchObject({ kind: 'process', input: { server: 'a' } });
  });
});

describe('an answer', () => {
  it('is the one that was asked for', () => {
    const asker: ToolsWanted['replyTo'] = link;
    expect(
      message(asker, { type: 'tools.listed', ticket: 't', reqId: 'r', tools: [], signature: '' }).to,
    ).toBe('computer/link');
    // @ts-expect-error: the answer belongs to another question, although a link accepts that one, too
    message(asker, { type: 'config.shown', ticket: 't', config: {} });
  });

  it('is wanted only by who takes it', () => {
    const asker: CallStart['replyTo'] = link;
    // @ts-expect-error: a catalog does not accept answers to calls
    const wrong: CallStart['replyTo'] = catalog;
    expect([asker, wrong]).toEqual(['computer/link', 'computer/client:a%2Fb/catalog:tools']);
  });
});

type Hears<Owner extends AnyStateMachine, Child extends AnyStateMachine> =
  AddressFor<EventFrom<Owner>> extends InputFrom<Child>['owner'] ? true : false;
it('an owner that opens a machine hears what that tells its owner', () => {
  const hears: readonly [
    Hears<typeof computerMachine, typeof clientMachine>,
    Hears<typeof computerMachine, typeof linkMachine>,
    Hears<typeof computerMachine, typeof aggregatorMachine>,
    Hears<typeof aggregatorMachine, typeof serverCacheMachine>,
    Hears<typeof aggregatorMachine, typeof questionMachine>,
    Hears<typeof clientMachine, typeof connectionMachine>,
    Hears<typeof connectionMachine, typeof processMachine>,
    Hears<typeof clientMachine, typeof catalogMachine>,
    Hears<typeof clientMachine, typeof callMachine>,
    Hears<typeof clientMachine, typeof watchMachine>,
    Hears<typeof agentMachine, typeof linkMachine>,
    Hears<typeof agentMachine, typeof viewMachine>,
    Hears<typeof officeMachine, typeof seatMachine>,
    Hears<typeof computerMachine, typeof skillsMachine>,
    Hears<typeof computerMachine, typeof uploadMachine>,
    Hears<typeof skillsMachine, typeof offerMachine>,
  ] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];
  const deaf: Hears<typeof linkMachine, typeof clientMachine> = false;
  expect([...hears, deaf]).toHaveLength(17);
});
