/** Functions with which a test replaces the real world: its clock, its servers, its offices. */
export {
  countRealWork,
  during,
  livingHosts,
  systemClock,
  useClock,
  type Clock,
} from '../../adapters/clock.ts';
export { Refused } from '../../adapters/mcp/transport.ts';
export { validate } from '../../adapters/schema/validate.ts';
export type { Launched, LaunchEnd, Launcher } from '../../adapters/process/launcher.ts';
export type { Links } from '../../adapters/socket/link.ts';
