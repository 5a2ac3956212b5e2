/** Its code is loaded by the import, not when the first office is opened. */
import { createOffice as open } from './api/office.ts';
import type { Office, OfficeOptions } from './api/office-handle.ts';

/** Opens an office, as `createOffice` of `a2c-actors` does. */
export const createOffice = (options?: OfficeOptions): Promise<Office> => open(options);
export type { Office, OfficeOptions };
