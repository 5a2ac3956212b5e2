import { describe } from 'vitest';
import { linkContract } from './link.contract.ts';
import { entryContract } from './entry.contract.ts';
import { createScripted } from './link-world-scripted.ts';
import { createSockets } from './link-world-sockets.ts';

describe.each([
  ['Socket.IO', createSockets],
  ['the scripted network', createScripted],
])('who may enter over %s', (_, make) => entryContract(make));
describe('link over Socket.IO', () => linkContract(createSockets));
describe('link over the scripted network', () => linkContract(createScripted));
