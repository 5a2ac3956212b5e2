import {
  launchConfigOf,
  placeholdersIn,
  variablesIn,
  type LaunchSettings,
  type ServerConfig,
} from '../../machines/config/index.ts';
import type { Inputs } from './inputs/inputs.ts';

interface Use {
  readonly inputs: readonly string[];
  readonly variables: readonly string[];
  /** Definitions, variables and settings, as they were. */
  grounds: string;
  /** The revision of the answer to each input. */
  answers: ReadonlyMap<string, number>;
}
type Wanted = Pick<Inputs, 'groundsOf' | 'revisionOf' | 'askAnew' | 'forgetAnswers'>;

/** Of which values the launch specs of servers were made, to know whose may be another by now. */
export class InputUses {
  readonly #inputs: Wanted;
  readonly #uses = new Map<string, Use>();

  constructor(inputs: Wanted) {
    this.#inputs = inputs;
  }
  /** Its launch spec is being resolved. */
  began(server: ServerConfig, settings: LaunchSettings): void {
    const facts = launchConfigOf(server);
    const [inputs, variables] = [placeholdersIn(facts), [...variablesIn(facts), ...(settings.passEnv ?? [])]];
    const grounds = this.#grounds(inputs, variables, settings);
    this.#uses.set(server.name, { inputs, variables, grounds, answers: this.#answersTo(inputs) });
  }
  ended(name: string): void {
    const use = this.#uses.get(name);
    if (use) use.answers = this.#answersTo(use.inputs);
  }
  /** Whether a definition, a variable or a setting is another than it was; from now on they are what they are. */
  hasOtherGrounds(name: string, settings: LaunchSettings): boolean {
    const use = this.#uses.get(name);
    const grounds = use && this.#grounds(use.inputs, use.variables, settings);
    if (!use || grounds === undefined || grounds === use.grounds) return false;
    use.grounds = grounds;
    return true;
  }
  /** Servers that have had another answer to an input of this one; from now on they have this one. */
  outdatedBy(name: string): readonly string[] {
    const ids = this.#uses.get(name)?.inputs ?? [];
    if (ids.length === 0) return [];
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
  /** These and no others are in the config: answers that no server uses are forgotten. */
  keep(names: ReadonlySet<string>): void {
    const all = this.#inputsInUse();
    for (const name of [...this.#uses.keys()]) if (!names.has(name)) this.#uses.delete(name);
    const left = this.#inputsInUse();
    this.#inputs.forgetAnswers([...all].filter((id) => !left.has(id)));
  }
  #grounds(inputs: readonly string[], variables: readonly string[], settings: LaunchSettings): string {
    return JSON.stringify([this.#inputs.groundsOf(inputs, variables), settings]);
  }
  #inputsInUse(): ReadonlySet<string> {
    return new Set([...this.#uses.values()].flatMap(({ inputs }) => inputs));
  }
  #answersTo(ids: readonly string[]): ReadonlyMap<string, number> {
    return new Map(ids.map((id) => [id, this.#inputs.revisionOf(id)]));
  }
}
