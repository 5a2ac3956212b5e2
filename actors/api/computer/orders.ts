import type { Computer } from './computer-handle.ts';
import type { Orders } from '../../inspector/inspections.ts';

/** What a page may order of a computer, once that is there. */
export const ordersOf = (computer: () => Promise<Computer>): Orders => ({
  start: async (name) => (await computer()).startServer(name),
  stop: async (name) => (await computer()).stopServer(name),
  retry: async (name) => (await computer()).retryServer(name),
  cancel: async (reqId) => (await computer()).cancelCall(reqId),
});
