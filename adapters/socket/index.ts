/** Ports over Socket.IO: offices, and links of the agents and computers that connect to them. */
export { createLinks, type Links, type PeerAuth, type PeerCredential, type PeerTls } from './link.ts';
export { createOffices, type Offices, type OfficeSettings } from './office.ts';
export type { OfficeControl } from './entry/control.ts';
export type { RefusedPeer } from './entry/refusing.ts';
