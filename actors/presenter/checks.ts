import { flag, name, object, options, type MethodArguments, type Check } from '../kernel/options.ts';
import type { PresenterOptions } from './presenter-handle.ts';
import { ofComputer, onServers } from '../api/checks/computer.ts';
import { name as nameOfServer, uri as ofPage } from '../api/checks/host.ts';

const { config: _, ...ofPresenter } = ofComputer;

const namedOptions = options<PresenterOptions>({ ...ofPresenter, file: name, settings: object });

export const presenterOptions: Check = (value, at) => {
  const given = new Map(object(value, at) ? [] : Object.entries(value as object));
  if (given.has('config'))
    return {
      at: 'config',
      message: 'unknown option (did you mean file or settings?)',
      remedy: 'A presenter reads its config from `file`, or keeps the object `settings` in memory.',
    };
  if (given.get('file') !== undefined && given.get('settings') !== undefined)
    return { at: 'settings', message: 'is given beside file', remedy: 'Give one of them.' };
  return namedOptions(value, at);
};

export const presenterArguments: MethodArguments = {
  ...onServers,
  addMcpServer: [nameOfServer, ['config', object]],
  updateMcpServer: [nameOfServer, ['config', object]],
  removeMcpServer: [nameOfServer],
  addMcpDefaultServer: [nameOfServer],
  removeMcpDefaultServer: [nameOfServer],
  toggleMcpDefaultServer: [nameOfServer],
  setMcpEnabled: [['isEnabled', flag]],
  isServerRunning: [nameOfServer],
  readResource: [ofPage],
};

export const presenterThrowing = ['isServerRunning'] as const;
