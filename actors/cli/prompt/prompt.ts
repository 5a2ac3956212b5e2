/** Prompt of `a2c up`, with the commands about tools and the program itself. */
import { failureOf } from '../../kernel/errors.ts';
import { hostFailure, type Failure, type HostFailure } from '../../../machines/protocol/failure.ts';
import type { OfficePeer } from '../../../machines/office/rooms/limits.ts';
import type { Computer, ComputerStatus } from '../../api/computer-handle.ts';
import type { ToolInfo, ToolListing } from '../../servers/server-handle.ts';
import type { OfficeSeat } from '../../api/seat.ts';
import type { Fact } from '../../../machines/facts.ts';
import type { KnownNames } from '../completing.ts';
import type { CommandContext } from '../context.ts';
import { conflictLines, incidentLines, listingText, peerLine, toolJson } from '../printing/servers.ts';
import { failureFact, tellFact, showFailure } from '../printing/failures.ts';
import { adviceAt, typedHere } from '../printing/hints.ts';
import { toolText } from '../printing/signature.ts';
import { targetIn } from '../arguments.ts';
import { toolIn } from '../named-tool.ts';
import { unknown } from '../named-server.ts';
import { words } from '../words.ts';
import { nearest } from '../../../machines/text.ts';
import { CallCommands } from './call-commands.ts';
import { addCollections } from './collection-commands.ts';
import { PromptCommands, type PromptCommand, isUnfinished } from './commands.ts';
import { addInputs } from './input-commands.ts';
import { addOffice, PromptSeat } from './office-commands.ts';
import { noServers, ServerCommands } from './server-commands.ts';

const wholeWords: Readonly<Record<ComputerStatus['state'], string>> = {
  booting: 'its servers are starting',
  whole: 'all servers are ready',
  degraded: 'some servers or tools are not ready',
  closing: 'is ending',
  closed: 'has ended',
};
export interface PromptHow {
  readonly officeLine: string;
  readonly peers?: () => readonly OfficePeer[];
  /** The office where the computer sits at first. */
  readonly seat: OfficeSeat & { readonly id: string };
  readonly facts?: boolean;
  readonly folder: string;
  /** `lines` are those of earlier runs; `keep` saves those of this run. */
  readonly history?: { readonly lines: readonly string[]; keep(lines: readonly string[]): void };
}
/** Prompt of `a2c up`: reads a line, prints an answer, and goes on until the person quits. */
export class Prompt {
  readonly #context: CommandContext;
  readonly #computer: Computer;
  readonly #how: PromptHow;
  readonly #seat: PromptSeat;
  readonly #servers: ServerCommands;
  readonly #interruptCollections: () => boolean;
  readonly #calls: CallCommands;
  readonly commands = new PromptCommands();
  /** Lines typed so far of a command that is not complete. */
  #begun = '';
  #isOver = false;
  /** True when the last Ctrl-C printed a warning that another Ctrl-C ends everything. */
  #isWarned = false;

  constructor(context: CommandContext, computer: Computer, how: PromptHow) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
    this.#servers = new ServerCommands(context, computer, how);
    this.#calls = new CallCommands(context, computer, { ...how, fail: (failure) => this.#fail(failure) });
    this.#addTools();
    this.#calls.addTo(this.commands);
    this.#servers.addTo(this.commands);
    const tell = (fact: Fact): void => tellFact(context, how, fact);
    this.#interruptCollections = addCollections(this.commands, context, computer, tell);
    addInputs(this.commands, context, computer, tell);
    this.#seat = new PromptSeat(computer, { ...how.seat, name: computer.name });
    addOffice(this.commands, context, computer, this.#seat, tell);
    this.#addOwn();
  }
  async run(): Promise<void> {
    const { terminal, signal } = this.#context;
    const { history } = this.#how;
    const stop = (): void => terminal.close();
    signal.addEventListener('abort', stop, { once: true });
    if (!signal.aborted)
      await terminal.prompt(
        'a2c> ',
        (line) => this.#take(line),
        (isAgain) => this.#interrupt(isAgain),
        {
          ...(history && { history: history.lines, onHistory: (lines) => history.keep(this.#toKeep(lines)) }),
          complete: (line) => this.commands.complete(line, this.#known()),
          isImmediate: (line) =>
            this.#begun === '' && this.commands.find(line)?.command.traits.isImmediate === true,
        },
      );
    signal.removeEventListener('abort', stop);
  }
  #toKeep(lines: readonly string[]): readonly string[] {
    return lines.filter((line) => this.commands.find(line)?.command.traits.isPrivate !== true);
  }
  /**
   * Handles Ctrl-C: the second one in a row ends everything, but only after a warning, because the first may be meant
   * for a call that has just ended.
   */
  #interrupt(isAgain: boolean): 'over' | 'again' {
    const hadUse =
      this.#begun !== '' ||
      this.#calls.interrupt() ||
      this.#interruptCollections() ||
      this.#servers.interrupt();
    this.#begun = '';
    if (isAgain && this.#isWarned && !hadUse) return 'over';
    this.#isWarned = !hadUse;
    if (this.#isWarned) this.#context.terminal.err(`Ctrl-C again, or quit, ends everything`);
    return 'again';
  }
  async #take(typed: string): Promise<'over' | 'again' | 'more'> {
    const line = this.#begun === '' ? typed : `${this.#begun}\n${typed}`;
    if (this.#context.terminal.isInteractive && isUnfinished(line)) {
      this.#begun = line;
      return 'more';
    }
    this.#begun = '';
    let command = '';
    let value: unknown = null;
    try {
      const found = this.commands.find(line);
      if (!found) throw this.commands.unknown(line);
      command = found.command.name();
      value = await found.command.run(found.rest);
    } catch (error) {
      this.#fail(failureOf(error));
    }
    tellFact(this.#context, this.#how, { type: 'answer', command, value });
    return this.#isOver ? 'over' : 'again';
  }
  #fail(given: Failure | HostFailure): void {
    const failure = hostFailure(adviceAt('prompt', given));
    showFailure(this.#context, failure, false);
    tellFact(this.#context, this.#how, { type: 'error', ...failureFact(failure) });
  }
  /** Names that Tab completes. */
  #known(): KnownNames {
    const computer = this.#computer;
    return {
      servers: computer.status().servers.map(({ name }) => name),
      tools: async () => {
        const { tools, refused } = await computer.tools();
        return [
          ...tools.map((tool) => ({ ...tool, schema: tool.inputSchema })),
          ...refused.map(({ name, server }) => ({ server, original: name, name: undefined, schema: {} })),
        ];
      },
      others: {
        req_id: computer.calls().map(({ reqId }) => reqId),
        input: computer.inputs.list().map(({ id }) => id),
      },
    };
  }
  #addTools(): void {
    const { terminal } = this.#context;
    this.commands
      .add('Tools', ['tools', 'tools list'], words.tools)
      .argument('[server|tool]', 'a server, or a tool, also as SERVER.TOOL')
      .argument('[tool]', 'a tool of that server')
      .does(async (...names: readonly (string | undefined)[]) =>
        this.#tools(
          await this.#computer.tools(),
          names.slice(0, 2).filter((name) => name !== undefined),
        ),
      );
    this.commands
      .add(
        'Tools',
        ['tools conflicts'],
        'names that several tools would have: who was refused or renamed, and what to write',
      )
      .does(async () => {
        const listing = await this.#computer.tools();
        const lines = conflictLines(listing);
        for (const line of lines.length > 0 ? lines : ['no conflicts']) terminal.out(line);
        return { refused: listing.refused };
      });
  }
  #tools(listing: ToolListing, typed: readonly string[]): unknown {
    const { terminal } = this.#context;
    const [name, second] = typed;
    const names = listing.servers.map((server) => server.name);
    if (name !== undefined && (second !== undefined || !names.includes(name)))
      return this.#tool(listing, typed, names);
    const isOwn = ({ server }: { readonly server: string }): boolean => name === undefined || server === name;
    const servers = listing.servers.filter((server) => isOwn({ server: server.name }));
    if (servers.length === 0) terminal.out(noServers);
    const { tools, refused } = listing;
    const some = { tools: tools.filter(isOwn), refused: refused.filter(isOwn), servers };
    if (servers.length > 0) listingText(some, 'prompt').forEach((line) => terminal.out(line));
    // Lists tools by name only, because the schema of a tool is shown when that tool is named.
    return {
      tools: some.tools.map((tool) => ({ name: tool.name, server: tool.server })),
      refused: some.refused,
    };
  }
  #tool(listing: ToolListing, typed: readonly string[], servers: readonly string[]): unknown {
    const { target } = targetIn(typed, servers);
    const isMeant = ({ name, original, server }: ToolInfo): boolean =>
      (target.server === undefined || server === target.server) && [name, original].includes(target.tool);
    const some = listing.tools.filter(isMeant);
    const twin = some.length === 0 ? toolIn(listing, target) : undefined;
    const all = [...some, ...(twin ? [{ ...twin, name: twin.call }] : [])];
    if (all.length === 0) {
      const known = [...servers, ...listing.tools.flatMap(({ name, original }) => [name, original])];
      const list = typedHere('prompt', 'tools');
      throw unknown(
        `No server and no tool is called '${typed.join(' ')}'`,
        {},
        nearest(target.tool, known),
        list,
      );
    }
    this.#context.terminal.outText(
      all.map((tool) => toolText(tool, { name: tool.name, options: 'prompt' })).join('\n\n'),
    );
    return { tools: some.map(toolJson) };
  }
  #addOwn(): void {
    const { terminal } = this.#context;
    const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
      this.commands.add('This program', names, description);
    add(['status'], words.status)
      .argument('[server]', 'this one alone')
      .does((name?: string) => (name === undefined ? this.#status() : this.#servers.status(name)));
    add(['trace', 'record'], 'write what was recorded so far, for a2c replay')
      .argument('[folder]')
      .does(async (folder = this.#how.folder) => {
        const file = await this.#computer.debug.writeTrace(folder);
        terminal.out(file);
        return file;
      });
    add(['help', '?'], words.help)
      .argument('[word]', 'a command, or a word of its name')
      .is({ isImmediate: true })
      .does((word = '') => terminal.outText(this.commands.help(word)));
    add(['quit', 'exit'], 'end everything').does(() => {
      this.#isOver = true;
    });
  }
  #status(): unknown {
    const { terminal } = this.#context;
    const { name, state, link, incidents } = this.#computer.status();
    terminal.out(this.#how.officeLine);
    const peers = this.#how.peers?.();
    for (const peer of peers ?? []) terminal.out(`  ${peerLine(peer)}`);
    const at = this.#seat.now;
    terminal.out(
      `computer ${name}: ${this.#computer.status().servers.length === 0 ? 'no servers' : wholeWords[state]}${link && at ? `, link ${link.state}: office ${at.id} at ${at.url} as ${at.name}` : ', in no office'}`,
    );
    this.#servers.list('  ');
    for (const line of incidentLines(incidents)) terminal.out(line);
    const seat = at && { url: at.url, office: at.id, name: at.name };
    return { computer: name, state, link, seat: seat ?? null, incidents, ...(peers && { peers }) };
  }
}
