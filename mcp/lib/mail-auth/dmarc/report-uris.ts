import type { Note } from '../../note.ts'

/** A report target. `domain` is the part after the @ of a mailto address, else null. */
export type ReportUri = { uri: string; address: string | null; domain: string | null }

const mailto = /^mailto:([^\s@!?]{1,320}@([a-z0-9_.-]{1,253}))(![^?]*)?(\?.*)?$/i

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads a `rua` or `ruf` value (RFC 9989 section 4.7). What is no URI is left out and told. */
export const readReportUris = (
  tag: string,
  value: string,
): { uris: ReportUri[]; errors: Note[]; warnings: Note[] } => {
  const uris: ReportUri[] = []
  const errors: Note[] = []
  const warnings: Note[] = []
  for (const part of value.split(',').map(piece => piece.trim())) {
    const [, address, domain, size] = mailto.exec(decodePercent(part)) ?? []
    if (address && domain) {
      uris.push({ uri: part, address, domain: domain.toLowerCase().replace(/\.$/, '') })
      if (size)
        warnings.push({
          code: 'size_limit',
          message: `The limit "${size.slice(0, 20)}" in ${tag} is no longer read (RFC 9989).`,
        })
    } else if (/^(?!mailto:)[a-z][a-z0-9+.-]*:\S+$/i.test(part)) {
      uris.push({ uri: part, address: null, domain: null })
      warnings.push({
        code: 'report_scheme',
        message: `Receivers need not send reports to "${part.slice(0, 100)}"; mailto always works.`,
      })
    } else {
      const hint = /^[^\s:]+@[^\s:]+$/.test(part) ? ' It needs "mailto:" in front.' : ''
      errors.push({
        code: 'report_address',
        message: `"${part.slice(0, 100)}" in ${tag} is no report address.${hint}`,
      })
    }
  }
  return { uris, errors, warnings }
}
