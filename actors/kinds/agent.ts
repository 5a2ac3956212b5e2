import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { viewMachine } from '../../machines/agent/view.machine.ts';
import { downloadMachine } from '../../machines/blobs/download.machine.ts';
import { callMachine } from '../../machines/call/call.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const agentKinds: Kinds = {
  agent: agentMachine,
  call: callMachine,
  desktopView: viewMachine,
  download: downloadMachine,
  finderView: viewMachine,
  skillsView: viewMachine,
  view: viewMachine,
};
