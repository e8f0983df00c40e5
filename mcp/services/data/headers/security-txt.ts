import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { CspFinding } from '../../../lib/csp/finding.ts'
import { readSecurityTxt } from '../../../lib/security-txt.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'

const list = (what: string) => z.array(z.string()).describe(what)
const notes = (what: string) =>
  z
    .array(
      z.object({ code: z.string().describe('Stable code'), message: z.string().describe('In a sentence') }),
    )
    .describe(what)

/** security.txt of a site; null where nobody knows. */
export const SecurityTxtFields = z
  .object({
    present: z.boolean().describe('There is such a file'),
    url: z.string().nullable().describe('Where it was found'),
    valid: z.boolean().describe('It is there and without errors'),
    contacts: list('Where to write to'),
    expires: z.iso.datetime().nullable().describe('Until when it holds, UTC'),
    canonical: list('Where it says that it belongs'),
    policies: list('Policies of disclosure'),
    encryption: list('Keys to write with'),
    languages: list('Languages'),
    signed: z.boolean().describe('It has an OpenPGP signature, which was not verified'),
    errors: notes('What is wrong'),
    warnings: notes('What should be better'),
  })
  .nullable()
  .describe('security.txt (RFC 9116); null when it could not be asked for')

type Report = z.input<typeof SecurityTxtFields>

const absent: NonNullable<Report> = {
  present: false,
  url: null,
  valid: false,
  contacts: [],
  expires: null,
  canonical: [],
  policies: [],
  encryption: [],
  languages: [],
  signed: false,
  errors: [],
  warnings: [],
}

const paths = ['/.well-known/security.txt', '/security.txt']

const printable = (values: readonly string[]) => values.flatMap(value => clean(value, 500) ?? [])

/** Looks for the file where the standard puts it, then at the old place. */
export const findSecurityTxt = async (
  fetch: Fetch,
  origin: string,
  now: Date,
  signal: AbortSignal,
): Promise<Report> => {
  let isKnown = true
  for (const path of paths) {
    try {
      const url = `${origin}${path}`
      const fetched = await fetch(url, { maxBytes: 65_536, maxRedirects: 3, deadlineMs: 5000, signal })
      if (fetched.status >= 500 || fetched.status === 429) isKnown = false
      const file = fetched.status === 200 ? readSecurityTxt(fetched.text().text, url, now) : undefined
      if (!file) continue
      const isPlain = /^\s*text\/plain\b/i.test(fetched.headers['content-type'] ?? '')
      const errors = [
        ...file.errors,
        ...(fetched.url.startsWith('https:')
          ? []
          : [{ code: 'not_https', message: 'It must be served over https.' }]),
      ]
      return {
        present: true,
        url: fetched.url,
        valid: errors.length === 0,
        contacts: printable(file.contacts),
        expires: file.expires,
        canonical: printable(file.canonical),
        policies: printable(file.policies),
        encryption: printable(file.encryption),
        languages: printable(file.languages),
        signed: file.signed,
        errors,
        warnings: [
          ...file.warnings,
          ...(isPlain ? [] : [{ code: 'not_plain', message: 'It must be sent as text/plain.' }]),
          ...(path === paths[0] ? [] : [{ code: 'old_place', message: `It belongs at ${paths[0]}.` }]),
        ],
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error
      isKnown = false
    }
  }
  return isKnown ? absent : null
}

/** Lists the faults of a file that is there; to have no file is no fault of a site. */
export const securityTxtFindings = (report: Report): CspFinding[] =>
  (report?.errors ?? []).map(({ code, message }) => ({
    code: `security_txt_${code}`,
    severity: 'low',
    message: `security.txt: ${message}`,
    fix: null,
  }))
