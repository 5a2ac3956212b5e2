import {
  launchConfigOf,
  placeholdersIn,
  variablesIn,
  type ServerConfig,
} from '../../machines/config/index.ts';
import type { Inputs } from './inputs/inputs.ts';

interface Use {
  readonly inputs: readonly string[];
  readonly variables: readonly string[];
  /** Definitions and variables, as they were. */
  grounds: string;
  /** The revision of the answer to each input. */
  answers: ReadonlyMap<string, number>;
}
type Wanted = Pick<Inputs, 'groundsOf' | 'revisionOf' | 'askAnew' | 'clearValue'>;

/** Of which values the launch specs of servers were made, to know whose may be another by now. */
export class InputUses {
  readonly #inputs: Wanted;
  readonly #uses = new Map<string, Use>();

  constructor(inputs: Wanted) {
    this.#inputs = inputs;
  }
  /** Its launch spec is being resolved. */
  began(server: ServerConfig): void {
    const facts = launchConfigOf(server);
    const [inputs, variables] = [placeholdersIn(facts), variablesIn(facts)];
    const grounds = this.#inputs.groundsOf(inputs, variables);
    this.#uses.set(server.name, { inputs, variables, grounds, answers: this.#answersTo(inputs) });
  }
  ended(name: string): void {
    const use = this.#uses.get(name);
    if (use) use.answers = this.#answersTo(use.inputs);
  }
  /** Whether a definition or a variable is another than it was; from now on they are what they are. */
  hasOtherGrounds(name: string): boolean {
    const use = this.#uses.get(name);
    const grounds = use && this.#inputs.groundsOf(use.inputs, use.variables);
    if (!use || grounds === undefined || grounds === use.grounds) return false;
    use.grounds = grounds;
    return true;
  }
  /** Servers that have had another answer to an input of this one; from now on they have this one. */
  outdatedBy(name: string): readonly string[] {
    const ids = this.#uses.get(name)?.inputs ?? [];
    const isOutdated = ([other, { inputs, answers }]: [string, Use]): boolean =>
      other !== name &&
      ids.some((id) => inputs.includes(id) && answers.get(id) !== this.#inputs.revisionOf(id));
    const outdated = [...this.#uses].filter(isOutdated).map(([other]) => other);
    for (const other of outdated) this.ended(other);
    return outdated;
  }
  /** Somebody starts it again: what was answered once counts no more. */
  askAnew(name: string): void {
    this.#inputs.askAnew(this.#uses.get(name)?.inputs ?? []);
  }
  /** These and no others are in the config: what nobody uses is forgotten. */
  keep(names: ReadonlySet<string>): void {
    const all = this.#inputsInUse();
    for (const name of [...this.#uses.keys()]) if (!names.has(name)) this.#uses.delete(name);
    const left = this.#inputsInUse();
    for (const id of all) if (!left.has(id)) this.#inputs.clearValue(id);
  }
  #inputsInUse(): ReadonlySet<string> {
    return new Set([...this.#uses.values()].flatMap(({ inputs }) => inputs));
  }
  #answersTo(ids: readonly string[]): ReadonlyMap<string, number> {
    return new Map(ids.map((id) => [id, this.#inputs.revisionOf(id)]));
  }
}
