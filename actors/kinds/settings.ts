import { settingsMachine } from '../../machines/settings/settings.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const settingsKinds: Kinds = { settings: settingsMachine };
