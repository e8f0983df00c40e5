import { type Cursor, matchAt } from './cursor.ts'
import { startsKey } from './quote.ts'
import { isCallable } from './word.ts'

/** Start of the next JSON, and what stands around it there. */
export type Start = {
  at: number
  kind: 'value' | 'members'
  around?: 'code-fence' | 'wrapper' | 'quoted-json' | 'missing-opening'
}

const promising =
  /\{\s{0,64}(?:["'“‘`}{]|\\[nrt"]|\/[/*]|[A-Za-z_$][\w$-]{0,64}\s{0,8}:)|\[\s{0,64}(?:["'“‘`{[\]]|\\[nrt"]|\/[/*]|[-+.]?\d{1,40}(?:\.\d{1,40})?\s{0,8},|(?:true|false|null|None|True|False)\b)/y
const fenceLanguage = /```[ \t]{0,8}[\w.+-]{0,20}\s{0,64}(?=[{["']|\(\s{0,8}["'{[(\d])/y
const wrapper =
  /(?:\)\]\}'?,?\s{0,8}|(?:while|for)\s?\([^)]{0,8}\);?\s{0,8}|(?:(?:export default|return|var|let|const|window)\s{1,8})?(?:[\w$.]{1,128}\s{0,8}(?:=\s{0,8}|\(\s{0,8}))?)(?=[{["'])/y
const scalar = /[-+.\d][\w.+-]{0,400}\s{0,64}(?:$|[,\n])/y
const callOrWord = /(?:(?:new )?[\w$.]{1,128}\(["'\d][^()\n]{0,400}\)|[\w$.+-]{1,128}["']?);?\s{0,64}$/y
const calledScalar =
  /[\w$.]{1,128}\s{0,8}\(\s{0,8}(?=(?:"[^"\n]{0,400}"|'[^'\n]{0,400}'|-?[\d.]{1,40}|true|false|null)\s{0,8}\);?\s{0,64}$)/y
const tuple = /\(\s{0,8}(?:["'{[(]|[\d.]{1,40}\s{0,8},)/y
const bareMember = /[A-Za-z_$][\w$-]{0,64}\s{0,8}:/y
const quotedBracket = /["'`]\s{0,8}(?=[{[]\s{0,8}(?:["'\]}]|\\"|[\w$]{1,64}\s{0,8}:))/y

/** The next place after `from` that looks like the start of an object or array, in a code fence or in plain text. */
export const findStart = (cursor: Cursor, from: number): Start | undefined => {
  const marks = /[{[]|```/g
  marks.lastIndex = from
  for (let match = marks.exec(cursor.text); match; match = marks.exec(cursor.text)) {
    if (match[0] !== '```') {
      if (matchAt(cursor, promising, match.index)) return { at: match.index, kind: 'value' }
      continue
    }
    const fence = matchAt(cursor, fenceLanguage, match.index)
    if (fence) return { at: match.index + fence.length, kind: 'value', around: 'code-fence' }
  }
  return undefined
}

/** True when the string at the cursor ends where the text does: then it is one string, whatever it holds. */
const isWhole = ({ at, text }: Cursor): boolean => {
  const marks = /["\\]/g
  marks.lastIndex = at + 1
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    if (match[0] === '"') return text.slice(marks.lastIndex).trim() === ''
    marks.lastIndex++
  }
  return false
}

const startOfQuote = (cursor: Cursor): Start => {
  const { at } = cursor
  if (cursor.text[at] === '"' && isWhole(cursor)) return { at, kind: 'value' }
  const quoted = matchAt(cursor, quotedBracket)
  if (quoted) return { at: at + quoted.length, kind: 'value', around: 'quoted-json' }
  if (startsKey(cursor, at)) return { at, kind: 'members', around: 'missing-opening' }
  return { at, kind: 'value' }
}

/** Finds the first JSON, the cursor being past whitespace and comments; undefined when nothing looks like JSON. */
export const firstStart = (cursor: Cursor, character: string): Start | undefined => {
  const { at, text } = cursor
  if (character === '{' || character === '[') return { at, kind: 'value' }
  if (character === '(' && matchAt(cursor, tuple)) return { at, kind: 'value' }
  if (character !== '' && '"\'“‘`´”„«'.includes(character)) return startOfQuote(cursor)
  if (matchAt(cursor, scalar)) return { at, kind: 'value' }
  const call = isCallable(cursor) ? undefined : matchAt(cursor, calledScalar)
  if (call) return { at: at + call.length, kind: 'value', around: 'wrapper' }
  if (matchAt(cursor, callOrWord)) return { at, kind: 'value' }
  const wrapped = matchAt(cursor, wrapper)
  if (wrapped) return { at: at + wrapped.length, kind: 'value', around: 'wrapper' }
  const start = findStart(cursor, at)
  if (start) return start
  if (!matchAt(cursor, bareMember) || !text.trimEnd().endsWith('}')) return undefined
  return { at, kind: 'members', around: 'missing-opening' }
}
