/** Public interface `a2c-actors/presenter`: a presenter, whose code is loaded with the import and not with the first handle. */
import { createPresenter as open } from './api/presenter.ts';
import type { Presenter, PresenterOptions } from './api/presenter-handle.ts';

/** Makes a presenter, as `createPresenter` of `a2c-actors` does. */
export const createPresenter = (options?: PresenterOptions): Promise<Presenter> => open(options);
export type { Presenter, PresenterOptions };
