import type { Extras } from './api/extra-parts.ts';
import { A2cError } from './kernel/errors.ts';
import { during } from '../adapters/clock.ts';
import { wireCodes } from '../machines/protocol/failure.ts';

/** What hosts use beyond the core, each loaded at its first use. To take one out, remove its line and its folders. */
const extras: { readonly [Name in keyof Extras]?: () => Promise<Extras[Name]> } = {
  door: () => import('./door/host.ts'),
  files: () => import('../adapters/files/host-files.ts'),
  login: () => import('./login/logins.ts'),
  nodes: () => import('../adapters/redis/register.ts'),
  page: () => import('./inspector/inspections.ts'),
  vrl: () => import('../adapters/vrl/transformer.ts'),
};

/** Rejects where this copy of the package is without it. */
export async function extra<Name extends keyof Extras>(name: Name): Promise<Extras[Name]> {
  const load = extras[name];
  if (!load)
    throw new A2cError({ code: wireCodes.notSupported, message: `This copy of a2c-actors has no ${name}` });
  return during(load());
}
