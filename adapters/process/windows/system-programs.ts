import { win32 } from 'node:path';

/** Programs of Windows that we run, and where they lie in its system folder. */
const places = {
  cmd: 'cmd.exe',
  powershell: 'WindowsPowerShell\\v1.0\\powershell.exe',
  rundll32: 'rundll32.exe',
  taskkill: 'taskkill.exe',
  wmic: 'wbem\\WMIC.exe',
} as const;
export type SystemProgram = keyof typeof places;
type Variables = Readonly<Record<string, string | undefined>>;

/** Case does not count in names of variables there. */
const valueOf = (env: Variables, wanted: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];

/**
 * The file of a program of Windows, in its system folder: by its bare name Windows would take one of the current folder
 * first, which may be a repository of strangers.
 */
export function systemProgram(program: SystemProgram, env: Variables = process.env): string {
  const root = valueOf(env, 'SYSTEMROOT') ?? '';
  // Relative to a drive or a folder it would be the current folder once more.
  const folder = /^[a-z]:[/\\]/i.test(root) ? root : 'C:\\Windows';
  return win32.join(folder, 'System32', places[program]);
}
