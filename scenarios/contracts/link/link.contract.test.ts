import { describe } from 'vitest';
import { linkContract } from './link.contract.ts';
import { createScripted } from './link-world-scripted.ts';
import { createSockets } from './link-world-sockets.ts';

describe.each([
  ['Socket.IO', createSockets],
  ['the scripted network', createScripted],
])('a link over %s', (_, make) => linkContract(make));
