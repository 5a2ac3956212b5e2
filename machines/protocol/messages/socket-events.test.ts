import { expect, it } from 'vitest';
import type { EventName, NoticeName, RelayedName } from '../protocol.ts';
import type { ClientToServer, ServerToClient } from './socket-events.ts';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** This test is checked by the compiler: an event name without types, or types without a name, do not compile. */
it('the types have every event of both directions, and no other', () => {
  const up: Same<keyof ClientToServer, EventName> = true;
  const down: Same<keyof ServerToClient, RelayedName | NoticeName> = true;
  const twoArguments: Same<
    Parameters<Parameters<ClientToServer['server:join_office']>[1]>,
    [ok: boolean, text: string | null]
  > = true;
  expect([up, down, twoArguments]).toEqual([true, true, true]);
});
