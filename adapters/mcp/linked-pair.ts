import { during } from '../clock.ts';

/** Two ends of a connection inside this process; the package is loaded for the first. */
export const linkedPair = async () =>
  (await during(import('@modelcontextprotocol/client'))).InMemoryTransport.createLinkedPair();
