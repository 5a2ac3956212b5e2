export { messageBytes } from './framing.ts';
export { sessionPortOf, type SessionPort, type SessionPortOptions } from './session.ts';
export { resultBytes, type Notice } from './transport.ts';
