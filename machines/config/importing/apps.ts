import { claudeCode } from '../apps/claude-code.ts';
import { claudeDesktop } from '../apps/claude-desktop.ts';
import { cline } from '../apps/cline.ts';
import { codex } from '../apps/codex.ts';
import { continueDev } from '../apps/continue.ts';
import { copilot } from '../apps/copilot.ts';
import { cursor } from '../apps/cursor.ts';
import { deepchat } from '../apps/deepchat.ts';
import { geminiCli } from '../apps/gemini-cli.ts';
import { goose } from '../apps/goose.ts';
import { opencode } from '../apps/opencode.ts';
import { roo } from '../apps/roo.ts';
import { vscode } from '../apps/vscode.ts';
import { windsurf } from '../apps/windsurf.ts';
import { zed } from '../apps/zed.ts';
import type { App } from './app.ts';
import { appAt } from './places.ts';
import { isObject } from '../../protocol/json.ts';

/** Every application whose servers can be imported, in the order of the docs. */
export const apps: readonly App[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  copilot,
  cline,
  roo,
  windsurf,
  continueDev,
  zed,
  goose,
  geminiCli,
  codex,
  opencode,
  deepchat,
];
export const appNamed = (id: string): App | undefined => apps.find((app) => app.id === id);

/** Whose file this is: by its place, or else by what it holds. */
export const appOf = (value: unknown, file = ''): App | undefined => {
  const known = appNamed(appAt(file) ?? '');
  if (known || !isObject(value)) return known;
  return apps.find((app) => app.isIts(value));
};
/** Whether parseConfig reads it without knowing whose it is. */
const isPlain = (value: unknown): boolean =>
  !isObject(value) ||
  isObject(value['mcpServers']) ||
  Object.hasOwn(value, 'servers') ||
  (isObject(value['mcp']) && isObject(value['mcp']['servers'])) ||
  Object.hasOwn(value, 'server_parameters') ||
  Object.hasOwn(value, 'command');
/** Whose file it is where it has to be reworded before it is a config of ours. */
export const appOfConfig = (value: unknown, file: string): App | undefined =>
  isPlain(value) ? appNamed(appAt(file) ?? '') : appOf(value, file);
