import { childElements } from './office-file.ts';

/** Element of MathML, or of an equation of Word, PowerPoint or OpenDocument. */
export interface MathNode {
  readonly tag: string;
  readonly text: string;
  readonly children: readonly MathNode[];
  /** Values of the properties of an element of Office, such as the sign of a sum. */
  readonly signs?: ReadonlyMap<string, string>;
}
const isProperties = ({ localName }: Element): boolean => (localName ?? '').endsWith('Pr');
export const mathNodeOf = (element: Element): MathNode => ({
  tag: element.localName ?? '',
  text: element.textContent ?? '',
  children: childElements(element)
    .filter((each) => !isProperties(each))
    .map(mathNodeOf),
  signs: new Map(
    childElements(element)
      .filter(isProperties)
      .flatMap(childElements)
      .map((each) => [each.localName ?? '', each.getAttribute('m:val') ?? '']),
  ),
});

/** In one line, such as `(a+b)/2`, `x^2` or `√(x)`. Symbols stay as they are. */
export const equationText = (equation: MathNode): string => written(equation).replace(/\s+/g, ' ').trim();

const grouped = (text: string): string => {
  const said = text.trim();
  return /^(?:.|[\d.]+)$/u.test(said) ? said : `(${said})`;
};
const scripts = (below: string, above: string): string =>
  (below.trim() === '' ? '' : `_${grouped(below)}`) + (above.trim() === '' ? '' : `^${grouped(above)}`);
const root = (degree: string, of: string): string => `√${scripts(degree, '')}(${of})`;

function written({ tag, text, children, signs }: MathNode): string {
  const parts = children.map(written);
  const [one = '', two = '', three = ''] = parts;
  const sign = (name: string, usual: string): string => signs?.get(name) ?? usual;
  switch (tag) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'f':
    case 'mfrac':
      return `${grouped(one)}/${grouped(two)}`;
    case 'sSup':
    case 'limUpp':
    case 'msup':
    case 'mover':
      return grouped(one) + scripts('', two);
    case 'sSub':
    case 'limLow':
    case 'msub':
    case 'munder':
      return grouped(one) + scripts(two, '');
    case 'sSubSup':
    case 'msubsup':
    case 'munderover':
      return grouped(one) + scripts(two, three);
    case 'sPre':
      return scripts(one, two) + three;
    case 'nary':
      return `${sign('chr', '∫')}${scripts(one, two)} ${three}`;
    case 'rad':
      return root(one, two);
    case 'mroot':
      return root(two, one);
    case 'msqrt':
      return root('', parts.join(''));
    case 'd':
      return sign('begChr', '(') + parts.join(sign('sepChr', '|')) + sign('endChr', ')');
    case 'acc':
      return one + sign('chr', '\u0302');
    case 'func':
    case 'mtext':
      return children.length > 0 ? parts.join(' ') : ` ${text} `;
    case 'm':
    case 'mtable':
    case 'eqArr':
      return parts.join('; ');
    case 'mr':
    case 'mtr':
      return parts.join(', ');
    default:
      return children.length > 0 ? parts.join('') : tag === 't' ? text : text.trim();
  }
}
