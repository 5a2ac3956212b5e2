import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemProgram } from './windows/system-programs.ts';

/** What opens a page on this platform, with its first arguments. */
export const openerFor = (
  platform: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly [string, ...string[]] => {
  if (platform === 'win32') return [systemProgram('rundll32', env), 'url.dll,FileProtocolHandler'];
  return [platform === 'darwin' ? 'open' : 'xdg-open'];
};
/**
 * Opens a page in the browser of this user. Only `http:` and `https:`: anything else could start a program. Resolves to false when
 * it could not be started; the browser lives on.
 */
export function openInBrowser(url: string): Promise<boolean> {
  return isOfWeb(url) ? opened(new URL(url).href) : Promise.resolve(false);
}
const isOfWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
/**
 * The same of an address that nobody else may see, because a token stands in it: what a program is called with is seen by
 * everybody on this machine. So the browser is given a file of this user that leads there, `open.html` in `folder`.
 */
export function openSecretInBrowser(url: string, folder: string): Promise<boolean> {
  if (!isOfWeb(url)) return Promise.resolve(false);
  const file = join(folder, 'open.html');
  const { href } = new URL(url);
  const quoted = href.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(
      file,
      `<!doctype html><meta http-equiv="refresh" content="0;url=${quoted}"><a href="${quoted}">the inspector</a>\n`,
      { mode: 0o600 },
    );
  } catch {
    return Promise.resolve(false);
  }
  return opened(file);
}
function opened(target: string): Promise<boolean> {
  const [command, ...args] = openerFor(process.platform);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, target], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
