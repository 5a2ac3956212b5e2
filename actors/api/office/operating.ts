import type { OfficeAccess } from './office-access.ts';
import type { Office, OfficeOptions } from './office-handle.ts';
import { readAuth, readSettings } from './office-settings.ts';

const parted = 'Who runs this office has disconnected you';
/** What who runs an office may see and do while it runs. */
export function operatingOf(
  options: OfficeOptions,
  access: OfficeAccess,
  warn: (text: string) => void,
): Pick<Office, 'admit' | 'stats' | 'peers' | 'disconnect' | 'reload'> {
  let given = options.auth;
  return {
    admit: (auth) => {
      access.admit(readAuth(auth, warn));
      given = auth;
    },
    stats: access.stats,
    peers: () => access.control?.peers() ?? [],
    disconnect: (id, why = parted) => access.control?.disconnect(id, why) ?? false,
    reload: async () => {
      // What cannot be read is told before anything has changed.
      const { tls } = readSettings(options);
      const next = readAuth(given, warn);
      if (tls) access.control?.secure(tls);
      access.admit(next);
      return (await access.control?.recheck()) ?? [];
    },
  };
}
