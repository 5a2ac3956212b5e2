/** Socket.IO: the office's side and the side of those who sit in it. */
export {
  createLinks,
  type Links,
  type LinksOptions,
  type PeerAuth,
  type PeerCredential,
  type PeerTls,
} from './link.ts';
export { createOffices, type Offices, type OfficeSettings, type OfficesOptions } from './office.ts';
export type { OfficeControl } from './entry/control.ts';
export type { RefusedPeer } from './entry/entrants.ts';
