export type { Answers } from './answers.ts';
export { NotSent, Refused, resultBytes, type Around, type Carrier, type Notice } from './carrier.ts';
export { messageBytes } from './framing.ts';
export { mostCalls } from './lane.ts';
export type { Noise } from './noise.ts';
export type { ServerLog } from './notifications.ts';
export { sessionPortOf, type SessionPort, type SessionPortOptions } from './port.ts';
export type { InMemorySpec, OwnSpec, RemoteSpec, SseSpec, StreamableSpec } from './remote.ts';
export type { Timers } from '../clock.ts';
