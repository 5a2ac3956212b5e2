import { agentKinds } from './agent.ts';
import { computerKinds } from './computer.ts';
import { linkKinds } from './link.ts';
import { officeKinds } from './office.ts';
import { seatKinds } from './seat.ts';
import { serversKinds } from './servers.ts';
import { settingsKinds } from './settings.ts';
import type { Kinds } from '../runtime/part.ts';

/** Every machine by the kind under which it is opened, for replays and drawings. A host has those of its parts. */
export const machines: Kinds = {
  ...agentKinds,
  ...computerKinds,
  ...linkKinds,
  ...officeKinds,
  ...seatKinds,
  ...serversKinds,
  ...settingsKinds,
};
