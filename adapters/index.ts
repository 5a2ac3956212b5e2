/** Public interface of the adapters: everything outside of the state machines that the folder `actors` may use. */
export { keep, keepGreeting, readCached, readGreeting } from './storage/catalogs.ts';
export { stdioWire, type ClientWire } from './mcp/serve/stdio.ts';
export { anyRevision } from './mcp/serve/eras.ts';
export { serveOverHttp, type HttpServing } from './mcp/serve/lazy.ts';
export {
  countRealWork,
  during,
  homeFolder,
  hostName,
  liveOnClock,
  livingHosts,
  newId,
  processFacts,
  systemClock,
  useClock,
  type Clock,
} from './clock.ts';
export { guardOf } from './guard.ts';
export { readConfig, readConfigJson, readConfigText, readConfigValue } from './storage/config-files.ts';
export { knockAtDoors, openDoor, type Door, type DoorLine } from './door/door.ts';
export { documentsCommand, serveDocuments, unreadDocuments } from './documents/command.ts';
export {
  encoders,
  mostCalls,
  Refused,
  Relay,
  sessionPortOf,
  type Answers,
  type Credentials,
  type InMemorySpec,
  type Noise,
  type OwnSpec,
  type RemoteSpec,
  type ServerLog,
  type SessionPort,
} from './mcp/index.ts';
export { createLedger, type Ledger, type LedgerOptions } from './process/reaper/ledger.ts';
export { defaultStateDir } from './host-files.ts';
export { sweepLeftovers } from './process/reaper/state-file.ts';
export {
  describeStart,
  environmentOf,
  type Environment,
  type Inherited,
  type Launch,
  type LaunchDescription,
  type Launched,
  type LaunchEnd,
  type Launcher,
  type LaunchSpec,
} from './process/environment.ts';
export {
  loginPath,
  openInBrowser,
  openSecretInBrowser,
  runText,
  startInBackground,
  tellStarter,
} from './process/run-text.ts';
export { processPortOf } from './process/launch.ts';
export { type TracedGroup } from './process/reaper/group.ts';
export {
  announceHost,
  isPageBuilt,
  openInspectorServer,
  runningHosts,
  type RunningHost,
  type AttachedPage,
  type InspectorServer,
  type PageListener,
  loadBridge,
  singlePage,
  type PageContent,
} from './inspector/index.ts';
export {
  asksNobody,
  PersonNeeded,
  type AssertionRequest,
  type Authorize,
  type AuthorizeRequest,
  type GiveAssertion,
  type LoggedOut,
  type LoginConfig,
} from './oauth/login-options.ts';
export { Login } from './oauth/login.ts';
export { memoryLogins, sharedLogins, type LoginStore } from './oauth/login-store.ts';
export { Refusal } from './oauth/guarded-fetch.ts';
export { fastestRegistry, isRegistryInNpmrc } from './npm-registry.ts';
export { proxyFromEnvironment } from './mcp/http/http.ts';
export { createCallLimiters } from './call-limiters.ts';
export { validate } from './schema/validate.ts';
export { writtenAs } from './storage/config-files.ts';
export { readCertificates, readEnvFile } from './storage/config-files.ts';
export { foundAppFiles, projectOf } from './storage/config-imports.ts';
export { isLink, readLink } from './storage/config-imports.ts';
export { configToWrite, findConfig, userConfigFile, type FoundConfig } from './storage/config-files.ts';
export { lineHistory, openLog } from './storage/user-files.ts';
export { changeFile, NotText } from './storage/settings.ts';
export { openBlobSource, type BlobSource } from './storage/blob-store.ts';
export type { Parts } from './connections/link-requests.ts';
export { LandingFolder, safeName, type LandingSettings } from './storage/landing-folder.ts';
export { BlobStore, newSha256 } from './storage/blob-store.ts';
export { SkillFolders } from './storage/skill-folders.ts';
export { settingsFile, settingsInMemory, watchFile, type Judge } from './storage/settings.ts';
export { isTrusted, trust } from './storage/user-files.ts';
export { ownCommand, PackageMissing, typedInShell } from './optional-packages.ts';
export { keepCompiledCode, OwnFileMissing } from './own-files.ts';
export { lazyLinks, lazyOffices } from './socket/lazy.ts';
export {
  authenticateBy,
  type Authenticate,
  type OfficeAuth,
  type OfficeCredential,
} from './socket/entry/auth.ts';
export { checkTls, type OfficeTls } from './socket/http.ts';
export type { JwtAuth } from './socket/entry/jwt.ts';
export type { TokenGrant, TokensFile } from './socket/entry/tokens.ts';
export type {
  Links,
  OfficeControl,
  Offices,
  OfficeSettings,
  PeerAuth,
  PeerCredential,
  PeerTls,
  RefusedPeer,
} from './socket/index.ts';
export { openMetrics, type MetricsServer, type Operator } from './metrics.ts';
export { openTracing } from './telemetry.ts';
export { openJsonLog } from './telemetry.ts';
export { keepOfficeToken, keptOfficeToken } from './storage/user-files.ts';
export {
  createDigest,
  createRedactionKey,
  latestLines,
  openTraceFile,
  sha256Of,
  sha256OfBytes,
  writeTraceFile,
  type TraceFile,
} from './storage/traces.ts';
export { columnsOf, fitting, padded } from './terminal/typed-line.ts';
export { readText } from './terminal/terminal.ts';
export { A2cRedisError, type RedisClient } from './redis/clients.ts';
export { redisRegister } from './redis/register.ts';
export { keyringIfAny, missingKeyring, openKeyring, type SecretStore } from './storage/keyring.ts';
export { saveBytes, type Bytes } from './storage/user-files.ts';
export { createTerminal, type Terminal } from './terminal/terminal.ts';
export { createTransformer, transformAsk } from './vrl/transformer.ts';
