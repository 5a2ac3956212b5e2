/** Functions with which a test replaces the real world: its clock, its servers, its offices. */
export {
  countRealWork,
  during,
  livingHosts,
  Refused,
  systemClock,
  useClock,
  validate,
  type Clock,
  type Launched,
  type LaunchEnd,
  type Launcher,
  type Links,
} from '../../adapters/index.ts';
