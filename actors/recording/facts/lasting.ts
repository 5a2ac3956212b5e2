/** Which facts of ports and orders of hosts hold until another takes their place. */
import type { EventObject } from 'xstate';
import type { Fields } from '../../../machines/protocol/json.ts';

/** Topic of a fact of a port; undefined: it passes, and does not hold. */
export function topicOf({ type, ...fields }: EventObject): string | undefined {
  const { socket, computer } = fields as Fields;
  switch (type) {
    case 'child.started':
    case 'session.opened':
    case 'link.up':
    case 'join.accepted':
    case 'office.opened':
      return type;
    case 'socket.opened':
    case 'socket.joins':
      return `${type} ${String(socket)}`;
    case 'computer.entered':
      return `computer ${String(computer)}`;
    default:
      return undefined;
  }
}
/** Facts that no longer hold after this one. */
export function overWith({ type, ...fields }: EventObject): readonly string[] {
  const { socket, computer } = fields as Fields;
  if (type === 'link.down') return ['link.up', 'join.accepted'];
  if (type === 'leave.done') return ['join.accepted'];
  if (type === 'socket.closed') return [`socket.opened ${String(socket)}`, `socket.joins ${String(socket)}`];
  if (type === 'socket.leaves') return [`socket.joins ${String(socket)}`];
  return type === 'computer.left' ? [`computer ${String(computer)}`] : [];
}
/** Orders that say how a host is, by what they are about. Others are over when they are answered. */
export function lastingOf({ type, ...fields }: EventObject): string | undefined {
  const { server, collection, by } = fields as Fields;
  switch (type) {
    case 'servers.set':
    case 'office.join':
    case 'office.leave':
      return type.split('.')[0];
    case 'server.start':
    case 'server.stop':
      return `server ${String(server)}`;
    case 'agent.follow':
      return `follow ${String(collection)}`;
    case 'resources.watch':
      return `watch ${String(server)} ${String(by)}`;
    default:
      return undefined;
  }
}
