export type CspSeverity = 'high' | 'medium' | 'low' | 'info'

/** Something to know or to change; `fix` is ready to paste, or says what to do. */
export type CspFinding = { code: string; severity: CspSeverity; message: string; fix: string | null }

/** One scored test. `modifier` is what it adds to or takes from the score; `pass` is null where nobody knows. */
export type Test = { name: string; pass: boolean | null; result: string; modifier: number; message: string }

/** Report on one header. */
export type HeaderReport = {
  present: boolean
  value: string | null
  verdict: 'good' | 'weak' | 'bad' | 'absent'
  severity: CspSeverity
  message: string
  fix: string | null
}

/** Response headers by lower-case name, every line of a repeated one. */
export type Lines = Readonly<Record<string, readonly string[]>>

export const headerLines = (headers: Lines, name: string): readonly string[] =>
  Object.hasOwn(headers, name) ? (headers[name] ?? []) : []

export const test = (name: string, result: string, modifier: number, message: string): Test => ({
  name,
  pass: modifier >= 0,
  result,
  modifier,
  message,
})

export const unknown = (name: string, message: string): Test => ({
  name,
  pass: null,
  result: 'unknown',
  modifier: 0,
  message,
})
