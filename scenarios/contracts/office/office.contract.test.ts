import { describe } from 'vitest';
import { createScripted } from '../link/link-world-scripted.ts';
import { createSockets } from '../link/link-world-sockets.ts';
import { officeContract } from './office.contract.ts';

describe.each([
  ['Socket.IO', createSockets],
  ['the scripted network', createScripted],
])('an office over %s', (_, make) => {
  officeContract(make);
});
