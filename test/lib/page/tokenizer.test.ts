import * as parse5 from 'parse5'
import { describe, expect, test } from 'vitest'
import { wholePageTokenizer } from '../../../mcp/lib/page/tokenizer.ts'

const openTokenizer = wholePageTokenizer(parse5)

const parseWith = (markup: string, isOurs: boolean) => {
  const parser = new parse5.Parser({ scriptingEnabled: false })
  if (isOurs) parser.tokenizer = openTokenizer(parser)
  parser.tokenizer.write(markup, true)
  return parser.document as parse5.DefaultTreeAdapterTypes.Document
}

type Plain = { name: string; value?: unknown; attributes?: unknown; children?: Plain[] }

/** Every node of a document, texts apart, and what is in templates. */
const toPlain = (node: parse5.DefaultTreeAdapterTypes.Node): Plain => ({
  name: node.nodeName,
  ...('value' in node && { value: node.value }),
  ...('data' in node && { value: node.data }),
  ...('attrs' in node && { attributes: node.attrs, space: node.namespaceURI }),
  ...('childNodes' in node && { children: node.childNodes.map(toPlain) }),
  ...('content' in node && { content: toPlain(node.content) }),
})

const compare = (markup: string) =>
  expect(toPlain(parseWith(markup, true)), JSON.stringify(markup)).toEqual(toPlain(parseWith(markup, false)))

describe('a page is the same as with the tokenizer of parse5', () => {
  test.each([
    'a b\r\nc\rd\ne\0f g 😀 h\ud800 i\udc00\r',
    'a &amp; b &notit; c &#x80; &#0; &bogus; & d&',
    '<title> a &lt; b\0c </title><textarea>\n\n a </textarea><pre>\r\n x</pre>',
    '<script> a < b </scrip> <!-- x - y -- <script> z </script> - --> </script> t',
    '<style>a > b \0 & c\r\n</style><noscript> a <b> c </noscript><xmp> a &amp; </xmp>',
    '<!-- a - b -- c < d \0 e\r\nf 😀--><!--><!---><!-- x --!><?a b><!a b></ a b>',
    '<p title="a b\r\nc\0d &amp; e &ampx &lt= \' 😀 < >" class=\'x "y" &quot;\' id=u&v data-X=Y A a>t',
    '<Very-Long-Element-Name-Of-Letters1 aTtribute-of-a-very-long-name-2="x"/>a b',
    '<table> a b <tr> <td> c d <col> e f <template> <col> g h </template></table> i j',
    '<template><col> a b </template><frameset> a b <frame> </frameset> c d </html> e f',
    '</body> a b <p>c</body> </html> d e ',
    '<svg> a b <![CDATA[ x \0 < & ]]> \0 c <title> d e </title></svg><math><mi> x y',
    '<select> a b <option> c d </select><head> a b <noscript> x y',
    `${'x y '.repeat(40_000)}<p>${' \n'.repeat(40_000)}<b title="${'a '.repeat(70_000)}">😀 ${'é '.repeat(70_000)}`,
    '<plaintext> a < b \0 c',
    '<p a="x',
    '<p a="x"',
    '<scr',
    '<!-- a',
    'a &am',
  ])('for %j', compare)

  const pieces = [
    ...'a b table tr td col colgroup caption template select option frameset pre script style title textarea noscript svg math'
      .split(' ')
      .flatMap(name => [`<${name}>`, `</${name}>`, `<${name} Class="a b" id='c' d=e f>`]),
    ...['<!-- c d -->', '<!--', '-->', '<![CDATA[', ']]>', '<', '>', '&', '&amp;', '&#65;', '&not', '"', "'"],
    ...[
      ' ',
      '\n',
      '\r',
      '\r\n',
      '\0',
      '\f',
      '\t ',
      'x',
      'two words',
      ' of it ',
      '😀',
      '\ud83d',
      'é',
      '-',
      '=',
      '/',
    ],
    ...['</body>', '</html>', '<body class="x">', '<head>', '<p title="', "<p title='", '<!doctype html>'],
  ]

  test('for 1,000 pages of pieces in no order', () => {
    let state = 7
    const next = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    for (let page = 0; page < 1000; page++)
      compare(Array.from({ length: 5 + next(60) }, () => pieces[next(pieces.length)]).join(''))
  })
})
