/**
 * What a reader does not see and a model does: controls, lone surrogates, default-ignorable characters (zero-width, bidi
 * controls, U+180E, variation selectors, tags U+E0000 to E007F, fillers), noncharacters, and format marks but for the Arabic
 * and Kaithi number signs, which are drawn. Tabs and the ends of lines and paragraphs are spaces, so they are not in it.
 */
const invisible = String.raw`(?![\t-\r\u0085\u2028\u2029\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]`

const scripts = [
  ...[
    'Arabic',
    'Syriac',
    'Mongolian',
    'Nko',
    'Tibetan',
    'Khmer',
    'Myanmar',
    'Sinhala',
    'Devanagari',
    'Bengali',
  ],
  ...['Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
].map(script => String.raw`\p{Script_Extensions=${script}}`)

/** A letter or mark of a script in which a joiner or a non-joiner between two of them changes their shape. */
const joining = String.raw`(?=[\p{L}\p{M}])(?!\p{Default_Ignorable_Code_Point})[${scripts.join('')}]`

/**
 * The few of them that change what is seen: one joiner inside a word of a joining script, joiners and U+FE0F in an emoji, and
 * the three flags that are written in tags (England, Scotland, Wales).
 */
const visibleJoiners = [
  String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`,
  String.raw`(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Extended_Pictographic}\ufe0f)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
].join('|')

const any = new RegExp(invisible, 'u')
const each = new RegExp(invisible, 'gu')
const eachInvisibleOrJoiner = new RegExp(`(${visibleJoiners})|${invisible}`, 'gu')

/** Pattern of most text, quicker to see. */
const harmless = /^[\t-\r -~]*$/

/** The text without what a reader does not see. Tabs, line ends, and joiners that shape letters or emoji stay. */
export const stripInvisible = (text: string): string =>
  harmless.test(text) || !any.test(text)
    ? text
    : text.replace(eachInvisibleOrJoiner, (_, shaping: string | undefined) => shaping ?? '')

/** True when a text holds something that its reader does not see. */
export const hasInvisible = (text: string): boolean => stripInvisible(text) !== text

/** The text without anything that is not seen, joiners included: to compare and to search in, not to show. */
export const stripAllInvisible = (text: string): string =>
  harmless.test(text) ? text : text.replace(each, '')

/** More of them together than a slip or a copied text leaves. */
const run = new RegExp(`(?:${invisible}){4,}`, 'u')
const eachVisibleJoiner = new RegExp(visibleJoiners, 'gu')

/** True when several unseen characters stand together: a message to whoever reads code points. */
export const hasHiddenRun = (text: string): boolean =>
  !harmless.test(text) && run.test(text.replace(eachVisibleJoiner, ''))

const tag = /[\u{e0020}-\u{e007e}]/gu

/** The ASCII that a text spells in tag characters, which no reader sees; empty for almost every text. */
export const textInTags = (text: string): string =>
  (text.match(tag) ?? []).map(one => String.fromCharCode((one.codePointAt(0) ?? 0) - 0xe0000)).join('')
