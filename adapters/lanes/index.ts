export { createLanes, type LanesOptions } from './lanes.ts';
