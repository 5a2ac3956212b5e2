import { childElements, elements } from './office-file.ts';

/** Symbols that are not in the list `commands` stay as they are. */
export const latexOf = (equation: Element): string => all(equation).replace(/\s+/g, ' ').trim();

const all = (node: Element): string => childElements(node).map(latex).join('');
const child = (node: Element, name: string): Element | undefined =>
  childElements(node).find(({ localName }) => localName === name);
const part = (node: Element, name: string): string => {
  const found = child(node, name);
  return found ? all(found).trim() : '';
};
const property = (node: Element, name: string): string | undefined => {
  const [found] = childElements(node)
    .filter(({ localName }) => (localName ?? '').endsWith('Pr'))
    .flatMap((properties) => elements(properties, name));
  return found?.getAttribute('m:val') ?? undefined;
};
const braced = (text: string): string => `{${text}}`;

function latex(node: Element): string {
  const [kind, e] = [node.localName ?? '', (): string => part(node, 'e')];
  switch (kind) {
    case 'r':
      return symbols(
        elements(node, 't')
          .map((each) => each.textContent ?? '')
          .join(''),
      );
    case 'f': {
      const [over, under] = [part(node, 'num'), part(node, 'den')];
      const type = property(node, 'type');
      if (type === 'lin' || type === 'skw') return `${over}/${under}`;
      return type === 'noBar' ? `\\binom{${over}}{${under}}` : `\\frac{${over}}{${under}}`;
    }
    case 'sSup':
      return `${base(e())}^${braced(part(node, 'sup'))}`;
    case 'sSub':
      return `${base(e())}_${braced(part(node, 'sub'))}`;
    case 'sSubSup':
      return `${base(e())}_${braced(part(node, 'sub'))}^${braced(part(node, 'sup'))}`;
    case 'sPre':
      return `{}_${braced(part(node, 'sub'))}^${braced(part(node, 'sup'))}${e()}`;
    case 'rad': {
      const degree = part(node, 'deg');
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${e()}}`;
    }
    case 'nary': {
      const [sub, sup] = [part(node, 'sub'), part(node, 'sup')];
      const limits = (sub && `_${braced(sub)}`) + (sup && `^${braced(sup)}`);
      return `${symbols(property(node, 'chr') ?? '∫').trim()}${limits} ${e()}`;
    }
    case 'd':
      return fenced(node);
    case 'm':
      return `\\begin{matrix}${rowsOf(node, 'mr')}\\end{matrix}`;
    case 'eqArr':
      return `\\begin{aligned}${childElements(node).filter(isE).map(all).join(' \\\\ ')}\\end{aligned}`;
    case 'func': {
      const name = part(node, 'fName');
      return `${/^[a-z]+$/.test(name) ? `\\${name}` : name} ${e()}`;
    }
    case 'limLow':
      return `${base(e())}_${braced(part(node, 'lim'))}`;
    case 'limUpp':
      return `${base(e())}^${braced(part(node, 'lim'))}`;
    case 'acc':
      return `${accents[property(node, 'chr') ?? '\u0302'] ?? '\\hat'}{${e()}}`;
    case 'bar':
      return `${property(node, 'pos') === 'bot' ? '\\underline' : '\\overline'}{${e()}}`;
    case 'groupChr':
      return `${property(node, 'chr') === '\u23de' ? '\\overbrace' : '\\underbrace'}{${e()}}`;
    case 'borderBox':
      return `\\boxed{${e()}}`;
    default:
      return kind.endsWith('Pr') ? '' : all(node);
  }
}
const isE = ({ localName }: Element): boolean => localName === 'e';
const rowsOf = (node: Element, name: string): string =>
  childElements(node)
    .filter(({ localName }) => localName === name)
    .map((row) => childElements(row).filter(isE).map(all).join(' & '))
    .join(' \\\\ ');
const base = (text: string): string => (/^(.|\\[A-Za-z]+ ?)$/u.test(text) ? text.trim() : braced(text));
function fenced(node: Element): string {
  const [open, close] = [property(node, 'begChr') ?? '(', property(node, 'endChr') ?? ')'];
  const inner = childElements(node)
    .filter(isE)
    .map(all)
    .join(property(node, 'sepChr') ?? '|');
  const fence = (mark: string): string => (/^[{}]$/.test(mark) ? `\\${mark}` : symbols(mark).trim() || '.');
  return `\\left${fence(open)}${inner}\\right${fence(close)}`;
}

const accents: Readonly<Record<string, string>> = {
  '\u0302': '\\hat',
  '\u0303': '\\tilde',
  '\u0304': '\\bar',
  '\u0305': '\\overline',
  '\u0307': '\\dot',
  '\u0308': '\\ddot',
  '\u030c': '\\check',
  '\u20d7': '\\vec',
};
const greek =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau upsilon phi chi psi omega'.split(
    ' ',
  );
/** Each command follows its symbol in the list. */
const commands: ReadonlyMap<string, string> = new Map(
  (
    '∑sum ∏prod ∫int ∬iint ∮oint ∂partial ∇nabla ∞infty ×times ÷div ·cdot ⋅cdot ±pm ∓mp ≤le ≥ge ≠ne ≈approx ≡equiv ' +
    '∝propto →to ⇒Rightarrow ⇔Leftrightarrow ∈in ∉notin ⊂subset ⊆subseteq ∪cup ∩cap ∀forall ∃exists …dots ⋯cdots √surd ' +
    '∅emptyset ϵepsilon ϕphi ⟨langle ⟩rangle'
  )
    .split(' ')
    .map((each) => [each.charAt(0), each.slice(1)]),
);
function symbols(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\\{}#$%&_]/g, (each) => (each === '\\' ? '\\backslash ' : `\\${each}`))
    .replace(/[^\0-\x7f]/gu, (each) => {
      if (each === '\u2061' || each === '\u200b') return '';
      if (each === '−') return '-';
      const at = (each.codePointAt(0) ?? 0) - 0x3b1;
      if (greek[at] !== undefined) return `\\${greek[at]} `;
      const upper = greek[at + 32];
      if (upper !== undefined && each >= 'Α' && each <= 'Ω') return capital(upper, each);
      const command = commands.get(each);
      return command === undefined ? each : `\\${command} `;
    });
}
/** LaTeX has commands only for the capital letters that do not look Latin. */
const capital = (name: string, letter: string): string =>
  /^(gamma|delta|theta|lambda|xi|pi|sigma|upsilon|phi|psi|omega)$/.test(name)
    ? `\\${name.charAt(0).toUpperCase()}${name.slice(1)} `
    : letter;

export interface MathNode {
  readonly tag: string;
  readonly text: string;
  readonly children: readonly MathNode[];
}
export const mathNodeOf = (element: Element): MathNode => ({
  tag: element.localName ?? '',
  text: element.textContent ?? '',
  children: childElements(element).map(mathNodeOf),
});

export function latexOfMathml({ tag, text, children }: MathNode): string {
  const [one = '', two = '', three = ''] = children.map((each) => latexOfMathml(each));
  switch (tag) {
    case 'mi':
    case 'mn':
    case 'mo':
      return symbols(text.trim());
    case 'mtext':
      return `\\text{${text}}`;
    case 'mspace':
      return ' ';
    case 'mfrac':
      return `\\frac{${one}}{${two}}`;
    case 'msup':
    case 'mover':
      return `${base(one)}^${braced(two)}`;
    case 'msub':
    case 'munder':
      return `${base(one)}_${braced(two)}`;
    case 'msubsup':
    case 'munderover':
      return `${base(one)}_${braced(two)}^${braced(three)}`;
    case 'mroot':
      return `\\sqrt[${two}]{${one}}`;
    case 'msqrt':
      return `\\sqrt{${children.map(latexOfMathml).join('')}}`;
    case 'mtable':
      return `\\begin{matrix}${children.map(latexOfMathml).join(' \\\\ ')}\\end{matrix}`;
    case 'mtr':
      return children.map(latexOfMathml).join(' & ');
    case 'annotation':
    case 'annotation-xml':
      return '';
    default:
      return children.map(latexOfMathml).join('');
  }
}
