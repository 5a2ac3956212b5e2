import type { Capabilities } from '../../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';

const declared: Readonly<Record<string, (capabilities: Capabilities) => boolean>> = {
  ping: () => true,
  'tools/list': ({ tools }) => tools !== null,
  'tools/call': ({ tools }) => tools !== null,
  'resources/list': ({ resources }) => resources !== null,
  'resources/templates/list': ({ resources }) => resources !== null,
  'resources/read': ({ resources }) => resources !== null,
  'resources/subscribe': ({ resources }) => resources?.subscribe === true,
  'resources/unsubscribe': ({ resources }) => resources?.subscribe === true,
  'prompts/list': ({ prompts }) => prompts !== null,
  'prompts/get': ({ prompts }) => prompts !== null,
  'completion/complete': ({ completions }) => completions,
  'logging/setLevel': ({ logging }) => logging,
};
/** Tells whether a server has declared the capability for a method; others are never requested, as the MCP lifecycle demands. */
export const isAllowed = (method: string, capabilities: Capabilities): boolean =>
  declared[method]?.(capabilities) === true;

export const notAllowed = (method: string): Failure => ({
  code: wireCodes.notBuilt,
  message: `method not allowed: the server does not offer ${method}`,
  details: { method, reason: 'methodNotAllowed' },
});

/** Methods whose requests carry a progress token, because they may take long. */
export const mayProgress: Readonly<Record<string, true>> = {
  'tools/call': true,
  'tools/list': true,
  'resources/list': true,
  'resources/templates/list': true,
  'resources/read': true,
  'prompts/list': true,
  'prompts/get': true,
};
