import type { Place } from '../finding.ts'

/** One statement of SQL, of whatever dialect: its words in capitals, without comments, with strings as `?`. */
export type Statement = {
  words: readonly string[]
  text: string
  /** Of an up migration, or of no migration at all. */
  isRollback: boolean
  place: Place
}

const maxStatements = 500

type Token = { word: string; at: number; end: number }

const skipQuoted = (text: string, at: number, quote: string): number => {
  let end = at + 1
  while (end < text.length) {
    const char = text[end]
    if (char === '\\' && quote !== '"') end += 2
    else if (char !== quote) end++
    else if (text[end + 1] === quote) end += 2
    else return end + 1
  }
  return end
}

/** The tokens of a text, one pass, whatever it is. */
const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  let at = 0
  const push = (word: string, end: number) => {
    tokens.push({ word, at, end })
    at = end
  }
  while (at < text.length) {
    const char = text[at] ?? ''
    if (/\s/.test(char)) at++
    else if (text.startsWith('--', at) || char === '#') {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      at = end < 0 ? text.length : end + 2
    } else if (char === "'") push('?', skipQuoted(text, at, char))
    else if (char === '"' || char === '`') {
      const end = skipQuoted(text, at, char)
      push(text.slice(at + 1, end - 1), end)
    } else if (text.startsWith('$$', at)) {
      const end = text.indexOf('$$', at + 2)
      push('?', end < 0 ? text.length : end + 2)
    } else if (/[\w@$]/.test(char)) {
      let end = at + 1
      while (end < text.length && /[\w@$]/.test(text[end] ?? '')) end++
      push(text.slice(at, end).toUpperCase(), end)
    } else push(char, at + 1)
  }
  return tokens
}

/** The statements of a text. */
export const readSql = (text: string, place: (line: number) => Place, isRollback = false): Statement[] => {
  const statements: Statement[] = []
  let part: Token[] = []
  let [line, counted] = [1, 0]
  const lineAt = (at: number) => {
    for (let next = text.indexOf('\n', counted); next >= 0 && next < at; next = text.indexOf('\n', counted)) {
      line++
      counted = next + 1
    }
    return line
  }
  const close = () => {
    const [first] = part
    const last = part.at(-1)
    if (first && last && statements.length < maxStatements)
      statements.push({
        words: part.map(({ word }) => word),
        text: text.slice(first.at, last.end).replace(/\s+/g, ' ').slice(0, 160),
        isRollback,
        place: place(lineAt(first.at)),
      })
    part = []
  }
  for (const token of tokenize(text)) {
    if (token.word === ';' || token.word === 'GO') close()
    else part.push(token)
  }
  close()
  return statements
}

const begins = [
  /^select\b[^;]*\bfrom\b/i,
  /^with\s+\w+\s+as\s*\(/i,
  /^insert\s+into\b/i,
  /^update\s+[\w."`[\]]+(?:\s+(?:as\s+)?\w+)?\s+set\b/i,
  /^delete\s+from\b/i,
  /^drop\s+(?:table|database|schema|view|index|column|user|role|owned|type|sequence|materialized|trigger|function|policy|keyspace|extension)\b/i,
  /^truncate\s+(?:table\s+)?[\w."`[]/i,
  /^alter\s+(?:table|user|role|database|system|login|index|policy)\b/i,
  /^create\s+(?:table|index|unique|user|role|database|view|or|schema|policy|extension|temporary|temp|function|login|materialized)\b/i,
  /^grant\s+[\w ,]+\s+(?:on|to)\b/i,
  /^revoke\s+[\w ,]+\s+(?:on|from)\b/i,
  /^merge\s+into\b/i,
  /^copy\s+[\w."]+\s*(?:\([^)]{0,500}\)\s*)?(?:from|to)\b/i,
  /^(?:begin|start\s+transaction|set\s+\w+|use\s+\w+|explain|vacuum|call|exec|lock\s+table)\b[^;]{0,200};/i,
]

/** True when a text begins as SQL does. */
export const isSql = (text: string): boolean => {
  const start = text.replace(/^(?:\s+|--[^\n]*\n|\/\*[^*]*\*\/)+/, '').slice(0, 2000)
  return begins.some(begin => begin.test(start))
}
