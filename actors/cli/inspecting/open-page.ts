import { defaultStateDir, openSecretInBrowser } from '../../../adapters/index.ts';
import type { Context } from '../context.ts';

/** Opens the page of an inspector, where somebody sits at a terminal and wants that; they have its address in any case. */
export async function openPage({ terminal }: Context, url: string, isWanted: boolean): Promise<void> {
  if (!isWanted || !terminal.isInteractive) return;
  if (!(await openSecretInBrowser(url, defaultStateDir())))
    terminal.err('no browser could be started; open it by hand');
}
