import { spawn } from 'node:child_process';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
/**
 * Opens a page in the browser of this user. Only `http:` and `https:`: anything else could start a program. Resolves to false when
 * it could not be started; the browser lives on.
 */
export function openInBrowser(url: string): Promise<boolean> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return Promise.resolve(false);
  const [command = 'xdg-open', ...args] = openers[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, new URL(url).href], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
