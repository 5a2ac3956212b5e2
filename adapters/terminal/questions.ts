import type { TypedLine } from './typed-line.ts';

interface Question {
  readonly text: string;
  readonly isSecret: boolean;
  /** Answers the asker once; later answers are dropped. */
  settle(answer: string | null): void;
  line?: TypedLine;
}
interface Stage {
  /** A line for a question. */
  open(question: { readonly text: string; readonly isSecret: boolean }): TypedLine;
  /** Puts it on the screen, in front of a prompt. */
  show(line: TypedLine): void;
  /** No question is open any more. */
  done(): void;
}

/** Questions to a person: one is open, the others wait for it. */
export class Questions {
  readonly #stage: Stage;
  readonly #asked: Question[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }
  /** Line of the question that is open. */
  get line(): TypedLine | undefined {
    return this.#asked[0]?.line;
  }
  /** Null: there is no answer, or the signal came first. */
  ask(text: string, signal: AbortSignal, isSecret: boolean): Promise<string | null> {
    return new Promise((resolve) => {
      const withdraw = (): void => this.#withdraw(question);
      const question: Question = {
        text,
        isSecret,
        settle: (answer) => {
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        },
      };
      signal.addEventListener('abort', withdraw, { once: true });
      if (this.#asked.push(question) === 1) this.#openFirst();
    });
  }
  /** All of them without an answer. */
  close(): void {
    const all = this.#asked.splice(0);
    for (const { line, settle } of all) {
      line?.close();
      settle(null);
    }
  }
  #openFirst(): void {
    const [question] = this.#asked;
    if (!question) return this.#stage.done();
    const line = this.#stage.open(question);
    question.line = line;
    line.lines.once('line', (answer) => this.#end(question, answer));
    line.lines.once('SIGINT', () => this.#end(question, null));
    line.lines.once('close', () => this.#end(question, null));
    this.#stage.show(line);
  }
  #end(question: Question, answer: string | null): void {
    if (this.#asked[0] !== question) return;
    this.#asked.shift();
    question.line?.close();
    question.settle(answer);
    this.#openFirst();
  }
  /**
   * Nobody wants the answer any more. A secret may be half typed, or typed by somebody who has not seen that: the rest of it, up
   * to Enter, is still for this line, and goes nowhere.
   */
  #withdraw(question: Question): void {
    const at = this.#asked.indexOf(question);
    question.settle(null);
    if (question.line && question.isSecret) return question.line.ask(`${question.text}${notAsked}`);
    question.line?.hide();
    if (question.line) this.#end(question, null);
    else if (at >= 0) this.#asked.splice(at, 1);
  }
}
const notAsked = '(not asked any more; Enter goes on) ';
