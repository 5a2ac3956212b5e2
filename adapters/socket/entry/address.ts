import type { IncomingMessage } from 'node:http';
import { peerAddress } from '../../../machines/office/rooms/entry.ts';

/** The IP address that a request comes from, through so many proxies. */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: number,
): string => peerAddress(socket.remoteAddress ?? '', headers['x-forwarded-for'], proxies);
