import { describe } from 'vitest';
import { linkContract } from './link.contract.ts';
import { createScripted } from './link-world-scripted.ts';
import { createSockets } from './link-world-sockets.ts';

describe('link over Socket.IO', () => linkContract(createSockets));
describe('link over the scripted network', () => linkContract(createScripted));
