import { environmentOf } from '../../adapters/process/environment.ts';
import { homeFolder } from '../../adapters/clock.ts';
import { sha256Of } from '../../adapters/storage/traces.ts';
import type { Config } from '../../machines/config/parse.ts';
import { launchSettingsOf } from '../../machines/config/schemas.ts';
import { version } from '../../machines/version.ts';
import type { Inputs } from '../servers/inputs.ts';
import { inheritedOf, renderServer } from '../servers/render.ts';

interface Around {
  /** No person is asked. A server that needs an input without a known value has no identity. */
  readonly inputs: Inputs;
  readonly folder: string;
  /** URIs of MCP roots; null where the server learns of none. */
  readonly roots: readonly string[] | null;
}
/** Names of variables of a terminal, whose differences do not matter to a server. */
const ofTerminal = new Set(['TERM', 'SHLVL', 'COLUMNS', 'LINES', 'WINDOWID', 'A2C_INSTANCE', '_']);

/** Equal exactly when both processes mean the same server. May hold secrets; undefined without a known launch. */
export async function identityOf(
  name: string,
  { servers, settings }: Pick<Config, 'servers' | 'settings'>,
  { inputs, folder, roots }: Around,
): Promise<string | undefined> {
  const server = servers.find((one) => one.name === name);
  if (!server || server.disabled) return undefined;
  const launching = launchSettingsOf(server, settings);
  const home = homeFolder();
  const places = launching.expand ? { home, workspace: folder } : undefined;
  const rendered = await renderServer(server, inputs, { places });
  if (!rendered.ok) return undefined;
  const { spec } = rendered;
  if (spec.kind === 'inmemory' || spec.kind === 'own') return undefined;
  const inherit = inheritedOf(launching, home, undefined);
  const environment = environmentOf(spec.kind === 'stdio' ? { ...spec, inherit } : nothing, '');
  const shared = Object.entries(environment).filter(([variable]) => !ofTerminal.has(variable));
  shared.sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([version, server, settings, spec, shared, folder, roots]);
}
const nothing = { command: '', args: [], env: {} };

/** For one connection. The secrets in the identity cannot be found from the proof. */
export const proofOf = (identity: string, nonce: string): string => sha256Of([nonce, identity]);
