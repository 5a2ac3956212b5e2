import { callMachine } from '../../machines/call/call.machine.ts';
import { catalogMachine } from '../../machines/catalog/catalog.machine.ts';
import { clientMachine } from '../../machines/client/client.machine.ts';
import { connectionMachine } from '../../machines/client/connection.machine.ts';
import { processMachine } from '../../machines/process/process.machine.ts';
import { watchMachine } from '../../machines/resources/watch.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const serversKinds: Kinds = {
  client: clientMachine,
  connection: connectionMachine,
  process: processMachine,
  catalog: catalogMachine,
  watch: watchMachine,
  call: callMachine,
};
