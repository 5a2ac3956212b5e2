import type { Failure } from '../../machines/protocol/index.ts';
import type { Computer } from '../api/computer/computer-handle.ts';
import type { ToolListing } from '../api/computer/server-handle.ts';
import { A2cError } from '../api/errors.ts';
import { conflictLines, listingText } from './printing/answers.ts';
import { CallLines, callsHelp } from './printing/call-lines.ts';
import { treeLines, type TreeNode } from '../runtime/tree.ts';
import { tellFact } from './printing/facts.ts';
import { CollectionLines, collectionsHelp } from './printing/collection-lines.ts';
import { ServerLines, serversHelp } from './printing/server-lines.ts';
import { errorOf, showFailure } from './printing/show-failure.ts';
import type { Context } from './context.ts';

const help = `tools list             what can be called
tools conflicts        names that several tools would have: who was refused or renamed, and what to write
${callsHelp}
${serversHelp}
${collectionsHelp}
status                 office, computer, servers
status --tree          every machine: its state, since when, its next timer
trace [FOLDER]         write what was recorded so far, for a2c replay
help                   this
quit                   end everything (also exit, Ctrl-D, Ctrl-C)
Ctrl-C while a tool runs cancels that call; while a server starts, it stops that server; to a question it says no;
a line that is half typed it clears.`;

export interface PromptHow {
  readonly officeLine: string;
  readonly facts?: boolean;
  /** Where traces go unless a folder is named. */
  readonly folder: string;
  tree(): readonly TreeNode[];
}
/** The prompt of `a2c up`: one line in, an answer out, until it is quit. */
export class Prompt {
  readonly #context: Context;
  readonly #computer: Computer;
  readonly #how: PromptHow;
  readonly #servers: ServerLines;
  readonly #collections: CollectionLines;
  readonly #calls: CallLines;

  constructor(context: Context, computer: Computer, how: PromptHow) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
    this.#servers = new ServerLines(context, computer, how);
    this.#collections = new CollectionLines(context, computer);
    this.#calls = new CallLines(context, computer, { ...how, fail: (failure) => this.#fail(failure) });
  }
  async run(): Promise<void> {
    const { terminal, signal } = this.#context;
    const stop = (): void => terminal.close();
    signal.addEventListener('abort', stop, { once: true });
    if (!signal.aborted)
      await terminal.prompt(
        'a2c> ',
        (line) => this.#take(line),
        () => this.#interrupt(),
      );
    signal.removeEventListener('abort', stop);
  }
  #interrupt(): 'over' | 'again' {
    const parts = [this.#calls, this.#collections, this.#servers];
    return parts.some((part) => part.interrupt()) ? 'again' : 'over';
  }
  async #take(line: string): Promise<'over' | 'again'> {
    const [verb = '', object = ''] = line.split(/\s+/);
    if (['quit', 'exit'].includes(verb.toLowerCase())) return 'over';
    try {
      await this.#answer(verb.toLowerCase(), object.toLowerCase(), line);
    } catch (error) {
      this.#fail(errorOf(error));
    }
    return 'again';
  }
  #fail(failure: Failure): void {
    showFailure(this.#context, failure, false);
    const { code, message, details, remedy } = failure;
    const more = { ...(details && { details: { ...details } }), ...(remedy !== undefined && { remedy }) };
    tellFact(this.#context, this.#how, { type: 'error', code, message, ...more });
  }
  async #answer(verb: string, object: string, line: string): Promise<void> {
    const { terminal } = this.#context;
    const rest = line.replace(/^\S+\s+\S+\s*/, '');
    const command = `${verb} ${object}`.trim();
    if (verb === 'help' || verb === '?') terminal.outText(help);
    else if (command === 'status --tree') treeLines(this.#how.tree()).forEach((l) => terminal.out(l));
    else if (verb === 'status') this.#status();
    else if (verb === 'trace')
      terminal.out(await this.#computer.writeTrace(line.slice(5).trim() || this.#how.folder));
    else if (command === 'tools list')
      listingText(await this.#computer.tools()).forEach((l) => terminal.out(l));
    else if (command === 'tools conflicts') this.#conflicts(await this.#computer.tools());
    else if (command === 'tools call') await this.#calls.call(rest);
    else if (this.#calls.take(verb, line.slice(verb.length).trim())) return;
    else if (verb === 'servers' && (await this.#servers.take(object, rest))) return;
    else if (await this.#collections.take(verb, line.split(/\s+/).slice(1))) return;
    else throw new A2cError({ code: 400, message: `unknown command: ${command}`, remedy: 'Type help.' });
  }
  #status(): void {
    const { terminal } = this.#context;
    const { name, state, link } = this.#computer.status();
    terminal.out(this.#how.officeLine);
    terminal.out(`computer ${name}: ${state}${link ? `, link ${link.state}` : ''}`);
    this.#servers.list('  ');
  }
  #conflicts(listing: ToolListing): void {
    const lines = conflictLines(listing);
    for (const line of lines.length > 0 ? lines : ['no conflicts']) this.#context.terminal.out(line);
  }
}
