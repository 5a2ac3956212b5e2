export type { Answers } from './messages/answers.ts';
export { Refused, resultBytes, type Notice, type OpenRequest } from './transport.ts';
export { messageBytes } from './messages/framing.ts';
export { Relay, type RelayedClient } from './relay.ts';
export { mostCalls } from './http/web.ts';
export type { Noise } from './messages/noise.ts';
export type { ServerLog } from './messages/notifications.ts';
export { sessionPortOf, type SessionPort, type SessionPortOptions } from './port.ts';
export type {
  Credentials,
  InMemorySpec,
  OwnSpec,
  RemoteSpec,
  SseSpec,
  StreamableSpec,
} from './http/remote.ts';
export type { Timers } from '../clock.ts';
