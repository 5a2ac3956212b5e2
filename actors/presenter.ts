/** Its code is loaded by the import, not when the first presenter is opened. */
import { createPresenter as open } from './api/presenter.ts';
import type { Presenter, PresenterOptions } from './api/presenter-handle.ts';

/** Makes a presenter, as `createPresenter` of `a2c-actors` does. */
export const createPresenter = (options?: PresenterOptions): Promise<Presenter> => open(options);
export type { Presenter, PresenterOptions };
