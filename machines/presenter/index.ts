export { builtIns, type MCPServerConfig, type Surroundings } from './built-ins.ts';
export { defaults, removal, reset, update } from './changes.ts';
export {
  heard,
  MCP_EVENTS,
  notificationOf,
  type Heard,
  type McpEvent,
  type McpEventValues,
  type McpNotification,
  type Phases,
} from './events.ts';
export { computerConfig, mapKeyOf, ownServers, shownConfig, type McpConfig } from './host-config.ts';
export { isOfFuture, migrationsOf } from './migrations.ts';
