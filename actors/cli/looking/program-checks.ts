import { describeStart, homeFolder, isRegistryInNpmrc, loginPath } from '../../../adapters/index.ts';
import { launchSettingsOf, type Config, type ServerConfig } from '../../../machines/config/index.ts';
import { inheritedOf } from '../../servers/surroundings.ts';
import { inputsOf } from '../../api/computer.ts';
import { withoutCredentials, registryChoice, type RegistryChoice } from '../../servers/registries.ts';
import { renderServer } from '../../servers/render.ts';

/** One thing that was looked at. */
export interface Check {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly found: string;
  /** What to do about it. */
  readonly remedy?: string;
}
/** Executables that servers are started with, where they were found, in the PATH of the server itself, and their registry. */
export async function programChecks({ servers, settings: top, inputs }: Config): Promise<Check[]> {
  const [home, login] = [homeFolder(), await loginPath()];
  const values = inputsOf(inputs, undefined);
  const checkOf = async (server: ServerConfig): Promise<readonly Check[]> => {
    if (server.kind !== 'stdio' || server.disabled) return [];
    const settings = launchSettingsOf(server, top);
    const places = settings.expand ? { home, workspace: process.cwd() } : undefined;
    const rendered = await renderServer(server, values, { places });
    // What it needs is told where it is started.
    if (!rendered.ok || rendered.spec.kind !== 'stdio') return [];
    const { command } = rendered.spec;
    const inherit = inheritedOf(settings, home, login);
    const { executable, lookedIn, folder } = describeStart({ ...rendered.spec, inherit });
    const what = `program ${command}`;
    const from = registryChoice(rendered.spec, settings, {
      inputs: values,
      home,
      isInNpmrc: isRegistryInNpmrc,
    });
    const registry: readonly Check[] = from
      ? [{ what: 'npm registry', state: 'ok', found: registryText(from) }]
      : [];
    if (executable !== null) return [{ what, state: 'ok', found: executable }, ...registry];
    const where = lookedIn.length > 0 ? lookedIn.join(', ') : folder;
    return [
      {
        what,
        state: 'wrong',
        found: `not found; looked in ${where}`,
        remedy: 'Install it, or write its whole path.',
      },
    ];
  };
  const checks = (await Promise.all(servers.map(checkOf))).flat();
  return [...new Map(checks.map((check) => [`${check.what} ${check.found}`, check])).values()];
}
const registryText = ({ named, among = [] }: NonNullable<RegistryChoice>): string =>
  named === undefined
    ? `the fastest of ${among.map(withoutCredentials).join(', ')}`
    : withoutCredentials(named);
