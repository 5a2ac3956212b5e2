import { describe } from 'vitest';
import { createScripted } from '../link/link-world-scripted.ts';
import { createSockets } from '../link/link-world-sockets.ts';
import { officeRelayContract } from './office-relay.contract.ts';
import { officeContract } from './office.contract.ts';

describe.each([
  ['Socket.IO', createSockets],
  ['the scripted network', createScripted],
])('an office over %s', (_, make) => {
  describe('as a room', () => officeContract(make));
  describe('as a relay', () => officeRelayContract(make));
});
