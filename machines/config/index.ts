export { editConfig, type ConfigChange, type EditedConfig } from './edits/server-edits.ts';
export { edited, placed, type Edit, type Edited } from './edits/edits.ts';
export { fingerprintText } from './fingerprint.ts';
export { foreignKeys } from './foreign/foreign-keys.ts';
export type { CommandInput, InputBase, InputDefinition, PickInput, PromptInput } from './inputs.ts';
export { readJson, type JsonText } from './foreign/json-text.ts';
export {
  launchConfigOf,
  mistakesText,
  readFacts,
  type LaunchConfig,
  type ReadFacts,
} from './launch-config.ts';
export { mistakeLine, pathText, type Mistake, type Path } from './mistake.ts';
export { parseConfig, parseConfigText, type Config, type ParsedConfig } from './parse.ts';
export { placeholdersIn, variablesIn, type Placeholder } from './placeholders.ts';
export { secretsOfLogin, type OAuth } from './oauth.ts';
export type { OwnFacts, OwnType, ProtocolServer } from './foreign/protocol.ts';
export { renderWith, type Lookup, type Rendered } from './rendering.ts';
export type {
  InMemoryServer,
  ServerConfig,
  ServerKind,
  SseServer,
  StdioServer,
  StreamableServer,
  ToolMeta,
} from './server.ts';
export { launchSettingsOf, mergedSettings, type LaunchSettings, type Settings } from './settings.ts';
export { bundleNameOf, bundlePartsOf, type BundlePart } from './bundle-id.ts';
export { shownServer, shownTarget } from './foreign/shown.ts';
export { serverToProtocol, toProtocol } from './foreign/to-protocol.ts';
export { type App } from './importing/app.ts';
export { appNamed, appOf, appOfConfig, apps } from './importing/apps.ts';
export { importFrom, type Imported, type ImportedServer } from './importing/import.ts';
export type { LeftOut } from './entries/entries.ts';
export { exportFor, plainWords, type Exported } from './importing/export.ts';
export { packageOf } from './importing/package-of.ts';
export { appAt, places, type Place } from './importing/places.ts';
export type { Project } from './importing/project.ts';
