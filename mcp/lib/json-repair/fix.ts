/** Each kind of fix: its sentence, how sure it leaves the reader (1 = certain), and whether it may lose data. */
const kinds = {
  'byte-order-mark': ['A byte order mark was removed', 1],
  'code-fence': ['A Markdown code fence around the JSON was removed', 0.99],
  'text-before': ['Text before the JSON was removed', 0.97],
  'text-after': ['Text after the JSON was removed', 0.97],
  wrapper: ['A function call or assignment around the JSON was removed', 0.99],
  'escaped-json': ['JSON with escaped quotes was unescaped once', 0.95],
  'quoted-json': ['Quotes around the whole JSON were removed', 0.95],
  'several-documents': ['Several JSON values in a row were put into one array', 0.97],
  'special-whitespace': ['Whitespace that JSON does not know was removed', 1],
  comment: ['A comment was removed', 1],
  ellipsis: ['An ellipsis was removed; what it stands for is unknown', 0.7, 'loss'],
  quotes: ['Quotes of another kind were replaced by double quotes', 0.99],
  'string-prefix': ['A string prefix such as u or b was removed', 0.99],
  'string-concatenation': ['Strings joined by + were put together', 0.98],
  'stray-quote': ['A quote that belongs to no string was removed', 0.9],
  'unescaped-quote': ['A quote inside a string was escaped', 0.85],
  'unescaped-newline': ['A line break inside a string was escaped', 0.97],
  'control-character': ['A control character inside a string was escaped', 0.98],
  'invalid-escape': ['An escape that JSON does not know was replaced', 0.97],
  'unclosed-string': ['A string had no closing quote', 0.8],
  'swallowed-structure': ['A string may hold what were values of their own', 0.5, 'loss'],
  'unclosed-object': ['An object had no closing bracket', 0.85],
  'unclosed-array': ['An array had no closing bracket', 0.85],
  'missing-opening': ['An opening bracket was missing', 0.8],
  'mismatched-bracket': ['A bracket of the wrong kind was replaced', 0.85],
  'extra-bracket': ['A closing bracket too many was removed', 0.85],
  'stray-text': ['Text between the members of an object was removed', 0.7, 'loss'],
  tuple: ['Round brackets were replaced by square ones', 0.95],
  set: ['Braces around single values were replaced by square brackets', 0.85],
  'missing-comma': ['A missing comma was added', 0.95],
  'extra-comma': ['A comma too many was removed', 0.97],
  'trailing-comma': ['A comma before a closing bracket was removed', 1],
  'wrong-separator': ['A wrong separator was replaced', 0.95],
  'missing-colon': ['A missing colon was added', 0.85],
  'missing-value': ['A missing value was set to null', 0.75],
  'unquoted-key': ['Quotes were put around a key', 0.99],
  'unquoted-string': ['Quotes were put around text', 0.85],
  keyword: ['A literal of another language was replaced', 0.99],
  'not-a-number': ['NaN or Infinity was replaced by null', 0.95],
  'number-format': ['A number was written the way JSON does', 0.97],
  'function-call': ['A call such as ObjectId("…") was replaced by its argument', 0.97],
  'cut-short': ['The text ends in the middle of a value', 0.6, 'loss'],
  'too-deep': ['What is nested deeper than 500 levels was replaced by null', 0.3, 'loss'],
  'unexpected-character': ['A character that fits nowhere was removed', 0.6, 'loss'],
} as const satisfies Record<string, readonly [message: string, sure: number, loss?: 'loss']>

export type FixType = keyof typeof kinds

export const fixTypes = Object.keys(kinds) as FixType[]

export const fixMessage = (type: FixType): string => `${kinds[type][0]}.`

export const losesData = (type: FixType): boolean => kinds[type].length > 2

/** How far the result can be trusted, 0 to 1: each kind of fix counts once, however often it was made. */
export const computeConfidence = (types: Iterable<FixType>): number => {
  let confidence = 1
  for (const type of types) confidence *= kinds[type][1]
  return Math.round(confidence * 100) / 100
}
