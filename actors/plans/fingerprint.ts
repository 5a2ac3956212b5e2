import { sha256Of } from '../../adapters/index.ts';
import { fingerprintText, type ServerConfig } from '../../machines/config/index.ts';

/** 64 hex digits: the same for two servers exactly when their launch config is (docs/config.md, Fingerprint). */
export const fingerprintOf = (server: ServerConfig): string => sha256Of([fingerprintText(server)]);
