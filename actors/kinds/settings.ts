import { settingsMachine } from '../../machines/presenter/settings.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const settingsKinds: Kinds = { settings: settingsMachine };
