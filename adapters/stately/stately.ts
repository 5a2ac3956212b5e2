import type { InspectionEvent } from 'xstate';
import { optionalPackage } from '../optional-packages.ts';

export interface StatelySink {
  inspect(event: InspectionEvent): void;
  stop(): void;
}

/**
 * Feeds `@statelyai/inspect`, an optional peer of ours, at a WebSocket URL. Its sanitizers leak (contexts stand in
 * definitions and outputs too), so what goes there is everything: parameters and results of calls with it. That is
 * why it is asked for by URL, and never the default. Rejects with what to install when the package is not there.
 */
export async function connectStately(url: string): Promise<StatelySink> {
  if (!/^wss?:\/\//.test(url))
    throw new Error(`--stately takes a WebSocket URL such as ws://127.0.0.1:8080, not ${url}`);
  const { createWebSocketInspector } = await optionalPackage(
    '@statelyai/inspect',
    '--stately',
    () => import('@statelyai/inspect'),
  );
  const inspector = createWebSocketInspector({ url, autoStart: true });
  return {
    inspect: (event) => inspector.inspect.next?.(event),
    stop: () => inspector.stop(),
  };
}
