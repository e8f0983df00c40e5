import type { Note } from '../note.ts'

export type StsMode = 'enforce' | 'testing' | 'none'

/** The policy file of MTA-STS (RFC 8461 section 3.2). */
export type StsPolicy = { mode: StsMode | null; mx: string[]; maxAge: number | null; errors: Note[] }

const maxMaxAge = 31_557_600

const fields = (text: string): Map<string, string[]> => {
  const values = new Map<string, string[]>()
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf(':')
    if (at < 1) continue
    const name = line.slice(0, at).trim().toLowerCase()
    values.set(name, [...(values.get(name) ?? []).slice(0, 99), line.slice(at + 1).trim()])
  }
  return values
}

const isMode = (text: string | undefined): text is StsMode =>
  text === 'enforce' || text === 'testing' || text === 'none'

/** Reads a policy file; what is wrong is in `errors`. */
export const parseStsPolicy = (text: string): StsPolicy => {
  const values = fields(text)
  const first = (name: string) => values.get(name)?.[0]
  const mode = first('mode')
  const mx = (values.get('mx') ?? []).map(pattern => pattern.toLowerCase().replace(/\.$/, ''))
  const maxAge = /^\d{1,10}$/.test(first('max_age') ?? '') ? Number(first('max_age')) : null
  const error = (isWrong: boolean, message: string): Note[] =>
    isWrong ? [{ code: 'sts_policy', message }] : []
  return {
    mode: isMode(mode) ? mode : null,
    mx,
    maxAge,
    errors: [
      ...error(first('version') !== 'STSv1', 'The policy needs the line "version: STSv1".'),
      ...error(!isMode(mode), 'The mode of the policy must be enforce, testing or none.'),
      ...error(
        maxAge === null || maxAge > maxMaxAge,
        `max_age must be a number of seconds up to ${maxMaxAge}.`,
      ),
      ...error(mode !== 'none' && mx.length === 0, 'The policy names no mail servers.'),
    ],
  }
}

/** True when a policy's pattern covers a mail server: `*.` stands for one label. */
export const coversHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.')
    ? host.slice(host.indexOf('.') + 1) === pattern.slice(2) && host.includes('.')
    : pattern === host
