export { isRegistryInNpmrc } from './npmrc.ts';
export { registryProber } from './prober.ts';
