import type { IncomingMessage } from 'node:http';
import { peerAddress } from '../../../machines/office/rooms/entry.ts';

/** Returns the IP address of the peer that sent a request through this number of trusted proxies. */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: number,
): string => peerAddress(socket.remoteAddress ?? '', headers['x-forwarded-for'], proxies);
