/** The code behind a handle is loaded with the first one of its kind; `a2c-actors/computer` loads it at once. */
import type { Agent, AgentOptions } from './api/agent-handle.ts';
import type { Computer } from './api/computer-handle.ts';
import type { ComputerOptions } from './api/computer-options.ts';
import type { Office, OfficeOptions } from './api/office-handle.ts';

/**
 * Opens an office. Rejects with an `A2cError` when an option is wrong or it cannot listen, and with the reason of
 * `signal` when that aborts first.
 * @example
 * const office = await createOffice({ port: 3000, auth: 'a token that all peers know' });
 * console.log(office.url);
 */
export const createOffice = async (options?: OfficeOptions): Promise<Office> =>
  (await import('./office.ts')).createOffice(options);
/**
 * Starts a computer. Resolves as soon as its config is read and its servers are starting, and with `office` when it
 * has its seat. Rejects with an `A2cError` when an option is wrong (`BadRequest`), the config has mistakes (`ConfigInvalid`),
 * or the seat is refused or no office is there (unless `office.keepTrying` is set), and with the reason of `signal`
 * when that aborts first; then nothing runs.
 * @example
 * const files = { command: 'npx', args: ['-y', 'my-server'], autoApprove: ['read'] };
 * const computer = await createComputer({ config: { mcpServers: { files } } });
 * const answer = await computer.callTool('read', { path: 'README.md' });
 * console.log(answer.outcome === 'succeeded' ? answer.result.content : answer.failure.message);
 * await computer.close();
 */
export const createComputer = async (options?: ComputerOptions): Promise<Computer> =>
  (await import('./computer.ts')).createComputer(options);
/**
 * Takes the agent's seat in an office; resolves when the seat is taken. Rejects with an `A2cError`, unless
 * `keepTrying` is set, and with the reason of `signal` when that aborts first.
 * @example
 * const agent = await createAgent({ url: 'https://office.example.com', auth: 'a token' });
 * const { tools } = await agent.tools('laptop');
 * const answer = await agent.callTool('laptop', 'read', { path: 'README.md' }, { timeoutMs: 10_000 });
 * console.log(tools.length, answer.outcome);
 * await agent.close();
 */
export const createAgent = async (options: AgentOptions): Promise<Agent> =>
  (await import('./agent.ts')).createAgent(options);

export type { Mistake } from '../machines/config/mistake.ts';

/** Launches servers as child processes of this process: the default launcher, on which other launchers may build. */
export { localLauncher } from '../adapters/process/local-launcher.ts';
export type * from '../adapters/mcp/http/login.ts';
export type {
  Environment,
  Inherited,
  Launch,
  LaunchDescription,
  Launched,
  LaunchEnd,
  Launcher,
  LaunchSpec,
} from '../adapters/process/launcher.ts';
export type { Noise } from '../adapters/mcp/messages/noise.ts';
export type { TracedGroup } from '../adapters/process/reaper/group.ts';
export type { Inspection, InspectOptions } from './api/page.ts';
export { A2cError } from './kernel/errors.ts';
export type { Log, LogEntry, LogLevel, LogOptions } from './logging/log-entry.ts';
export type { IncidentFact, IncidentKind } from '../machines/incidents/incident.ts';
export type { KeptTrace, RecordOptions } from './recording/flight-recorder.ts';
export type { KeepWord } from '../machines/trace/reasons.ts';
export type { RedactHook } from './secrets/hook-redactor.ts';
export type { Profile } from '../machines/trace/format.ts';
export type { GivenTiming, HostTiming } from '../machines/kernel/timing.ts';
export type { LinkStatus } from './api/link-status.ts';
export type { OfficeSeat } from './api/seat.ts';
export type { LinkRefusal, LinkStage } from '../machines/link/link.events.ts';
export type {
  Agent,
  AgentEvents,
  AgentOptions,
  AgentStatus,
  AgentTool,
  AgentTools,
  ComputerConfig,
} from './api/agent-handle.ts';
export type {
  AgentDocuments,
  AgentFiles,
  AgentReading,
  AgentSkills,
  DesktopOptions,
  FinderOptions,
  FormatOptions,
  PageOptions,
  ReadAs,
  ReadOptions,
  ResourceOptions,
  ResourcesOptions,
  ResourcesPage,
} from './api/agent-handle.ts';
export type {
  DocumentPage,
  DocumentPages,
  ElementDetail,
  FinderFollowed,
  PageSummary,
  SkillOptions,
} from './api/agent-handle.ts';
export type { AgentBlob, BlobOptions, BlobProgress, Download } from './api/downloads.ts';
export type { Skill, SkillFile, SkillWait } from './api/computer-handle.ts';
/** They never throw: `{ok: true, uri}`, or `{ok: false, failure}` with the broken rule (docs/wire.md#uris). */
export { buildDpeUri, parseDpeUri } from '../machines/resources/dpe-uri.ts';
export { buildWindowUri, parseWindowUri } from '../machines/resources/window-uri.ts';
export type { ShownWindow } from '../machines/resources/asked.ts';
export type {
  BuiltDpeUri,
  DpeCategory,
  DpeDepth,
  DpeFormat,
  DpePlace,
  DpeQuery,
  DpeUri,
  ParsedDpeUri,
} from '../machines/resources/dpe-uri.ts';
export type { BuiltWindowUri, ParsedWindowUri, WindowUri } from '../machines/resources/window-uri.ts';
export type { PlayedOffice } from './api/seat.ts';
export type { CallEnded, CallEvents, CallStarted } from './api/computer-calls.ts';
export type {
  Computer,
  ComputerConfigInForce,
  ComputerDebug,
  ComputerEvents,
  ComputerPrompts,
  ComputerServers,
  ComputerSkills,
  ComputerStatus,
} from './api/computer-handle.ts';
export type {
  Answers,
  AskedWith,
  ComputerOptions,
  ElicitAnswer,
  ElicitParams,
  ElicitUrlParams,
  Root,
  SampleAnswer,
  SampleParams,
  ServerQuestion,
} from './api/computer-options.ts';
export type {
  CatalogStatus,
  ListChanged,
  ListedServer,
  ServerPrompts,
  ServerResources,
  ServerStatus,
  ToolInfo,
  ToolListing,
} from './servers/server-handle.ts';
export type { ServerState } from '../machines/server-state.ts';
export type { CallWait, KnownCall } from '../machines/call/history.ts';
export type { CallEnd, CallPhase, Outcome } from '../machines/call/call.rules.ts';
export type {
  Annotations,
  Described,
  Icon,
  JsonObject,
  Kept,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  ToolAnnotations,
  ToolExecution,
} from '../machines/catalog/entries.ts';
export type { CatalogList } from '../machines/catalog/entries.ts';
export type { ListedTool, ToolMeta } from '../machines/catalog/tool.ts';
export type { ResourceCollection } from '../machines/ports/link.ts';
export type { Followed } from '../machines/agent/collections.ts';
export type {
  DesktopQuery,
  DesktopShown,
  DocumentMetadata,
  DocumentSummary,
  FinderQuery,
  FinderShown,
  PromptFilled,
  PromptMessage,
  RequestOptions,
  ResourceContent,
  WaitOptions,
} from './api/computer-handle.ts';
export type { MissingServer } from './servers/server-handle.ts';
export type { Office, OfficeEvents, OfficeOptions, OfficeRedis, SeatChange } from './api/office-handle.ts';
export type { Authenticate, OfficeAuth, OfficeCredential } from '../adapters/socket/entry/auth.ts';
export type { JwtAuth } from '../adapters/socket/entry/jwt.ts';
export type { OfficeTls } from '../adapters/socket/http.ts';
export type { PeerAuth, PeerCredential, PeerTls } from '../adapters/socket/link.ts';
export type { RedisClient } from '../machines/office/rooms/register.ts';
export type { RefusedPeer } from '../adapters/socket/entry/refusing.ts';
export type { TokenGrant, TokensFile } from '../adapters/socket/entry/tokens.ts';
export type { OfficePeer, OfficeStats } from '../machines/office/rooms/limits.ts';
export type { RoomMember } from '../machines/protocol/messages/lists.ts';
export type { TraceContext } from '../machines/protocol/messages/messages.ts';
export type { Grant } from '../machines/office/rooms/entry.ts';
export type {
  GivenLimits,
  LimitName,
  OfficeLimits,
  Rate,
  RefusalKind,
} from '../machines/office/rooms/limits.ts';
export type { Entrant, Entry } from '../machines/office/rooms/entry.ts';
export type { SeatFacts } from '../machines/ports/office.ts';
export type { Progress as CallProgress } from '../machines/protocol/messages/messages.ts';
export type { Call, CallOptions, CallStep, ComputerCallOptions, WatchedCall } from './api/call-outcome.ts';
export type { Debug, DrainOptions, EventOptions, HostOptions, Telling } from './api/handles.ts';
export type { FileSource, LandedFile, PutOptions, PutProgress } from './api/agent-handle.ts';
export type {
  CallEnding,
  CallFacts,
  CallFailed,
  CallOutcome,
  CallSucceeded,
  CallToolError,
} from './api/call-outcome.ts';
export type {
  CallToolResult,
  ContentFields,
  EmbeddedContent,
  MediaContent,
  ResourceLinkContent,
  ResultContent,
  TextContent,
} from '../machines/protocol/tool-result.ts';
export type { CodeName, HostFailure as Failure, WireCode } from '../machines/protocol/failure.ts';
export type { Decision, Permission, PermissionRequest, Ruling } from '../machines/call/policy/permission.ts';
export type { AskInput, InputQuestion } from './servers/inputs.ts';
export type { OutputLine } from './servers/server-output.ts';
export type { ComputerInputs } from './servers/server-handle.ts';
export type {
  CommandInput,
  InputBase,
  InputDefinition,
  PickInput,
  PromptInput,
} from '../machines/config/inputs.ts';
export { foreign } from '../machines/config/config-input.ts';
export type {
  AddedServer,
  ConfigInput,
  ForeignConfig,
  NamedServerInput,
  ProtocolConfigInput,
  ProtocolServerInput,
  DurationInput,
  InputInput,
  McpServersInput,
  ServerInput,
  SettingsInput,
  LandingInput,
  TimeoutsInput,
} from '../machines/config/config-input.ts';
export type { OwnFacts } from '../machines/config/schemas.ts';
export type { Confirmation } from '../machines/call/policy/policy.ts';
export type { Confirm, ConfirmAnswer, ConfirmQuestion } from './api/computer-options.ts';
export type {
  ConnectableServer,
  InMemoryServer,
  LinkedEnd,
  MadeServer,
  TransportMaker,
  TransportSpec,
} from './servers/host-servers.ts';
