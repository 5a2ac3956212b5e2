import { describe } from 'vitest';
import { linkContract } from './link.contract.ts';
import { entryContract } from './entry.contract.ts';
import { progressContract } from './progress.contract.ts';
import { createScripted } from './link-world-scripted.ts';
import { createSockets } from './link-world-sockets.ts';

const transports = [
  ['Socket.IO', createSockets],
  ['the scripted network', createScripted],
] as const;
describe.each(transports)('the entry over %s', (_, make) => entryContract(make));
describe.each(transports)('the progress of a call over %s', (_, make) => progressContract(make));
describe('link over Socket.IO', () => linkContract(createSockets));
describe('link over the scripted network', () => linkContract(createScripted));
