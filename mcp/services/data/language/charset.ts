import { clean } from '../../../lib/text/clean.ts'
import { issue, type LanguageIssue } from './issue.ts'
import type { PageLanguage } from './page-language.ts'

export type Charsets = {
  /** Charset that the page was read in, and what told it. */
  charset: string
  charset_source: string
  charset_header: string | null
  charset_meta: string | null
}

const canonicalLabel = (label: string): string | null => {
  try {
    return new TextDecoder(label.trim()).encoding
  } catch {
    return null
  }
}

/** A page in UTF-16 cannot be read as far as its meta element, so that one is taken for UTF-8 (HTML standard, 13.2.3.2). */
const inMeta = (label: string): string | null =>
  canonicalLabel(label)?.replace(/^utf-16(?:le|be)$/, 'utf-8') ?? null

export const headerCharset = (contentType: string | undefined): string | null =>
  clean(/;\s{0,9}charset\s{0,9}=\s{0,9}["']?([^\s;"']{1,60})/i.exec(contentType ?? '')?.[1], 60)

const unknown = (where: string, label: string) =>
  issue('medium', 'charset_unknown', `The ${where} names a charset "${label}" that there is not.`)

/** Lists faults in the way a page names its charset. */
export const charsetIssues = (
  { charset, charset_source: charsetSource, charset_header: header, charset_meta: meta }: Charsets,
  { metaCharsetAt }: Pick<PageLanguage, 'metaCharsetAt'>,
): LanguageIssue[] => {
  const declaredCharsets = [header && canonicalLabel(header), meta && inMeta(meta)].filter(name => name)
  const bom = charsetSource === 'bom' ? [charset.toLowerCase()] : []
  const clash = new Set([...declaredCharsets, ...bom])
  const nothing = header === null && meta === null && bom.length === 0 && charsetSource !== 'xml'
  return [
    ...(header !== null && canonicalLabel(header) === null ? [unknown('Content-Type header', header)] : []),
    ...(meta !== null && canonicalLabel(meta) === null ? [unknown('meta element', meta)] : []),
    ...(clash.size > 1
      ? [issue('high', 'charset_clash', `It names several charsets: ${[...clash].join(', ')}.`)]
      : []),
    ...(nothing
      ? [issue('medium', 'charset_missing', 'Neither the header nor the page names a charset.')]
      : []),
    ...(charset.toLowerCase() === 'utf-8'
      ? []
      : [
          issue('low', 'charset_not_utf8', `The page is in ${charset}; UTF-8 is what the standard asks for.`),
        ]),
    ...(metaCharsetAt > 1024 && header === null
      ? [
          issue(
            'medium',
            'charset_late',
            'The charset stands behind the first 1,024 bytes, where it is not looked for.',
          ),
        ]
      : []),
  ]
}
