import type { Inherited } from '../../adapters/index.ts';
import type { LaunchSettings } from '../../machines/config/index.ts';

/** What a child gets of this process by its settings. `~` in a folder is `home`. */
export const inheritedOf = (
  { baseEnv: base, passEnv: pass, path = [], runtimes = [] }: LaunchSettings,
  home: string,
  loginPath: string | undefined,
): Inherited => {
  const folders = [...path, ...runtimes].map((folder) => folder.replace(/^~(?=[\\/]|$)/, () => home));
  return {
    ...(base && { base }),
    ...(pass && { pass }),
    ...(folders.length > 0 && { folders }),
    ...(loginPath !== undefined && { loginPath }),
  };
};
