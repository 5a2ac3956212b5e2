import { createPresenter as open } from './presenter.ts';
import type { Presenter, PresenterOptions } from './presenter-handle.ts';

/**
 * Makes a presenter: the servers of a desktop application with a config file that is watched (docs/presenter.md).
 * Resolves when the file was read; `initialize` starts the servers. A file with mistakes is not an error yet:
 * `configStatus` lists them.
 * @example
 * const presenter = await createPresenter({ file: 'servers.json', confirm: () => 'allow' });
 * presenter.on(MCP_EVENTS.SERVER_STARTED, (name) => console.log(name));
 * await presenter.initialize();
 */
export const createPresenter = (options?: PresenterOptions): Promise<Presenter> => open(options);
export { MCP_EVENTS } from '../../machines/presenter/events.ts';
export type { McpConfig } from '../../machines/presenter/host-config.ts';
export type { McpEventValues, McpNotification } from '../../machines/presenter/events.ts';
export type { MCPServerConfig } from '../../machines/presenter/host-config.ts';
export type * from './presenter-handle.ts';
