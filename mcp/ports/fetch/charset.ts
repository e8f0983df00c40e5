import { isAscii, isUtf8 } from 'node:buffer'
import sniff from 'html-encoding-sniffer'
import { MIMEType } from 'whatwg-mimetype'
import { guessCharset } from '../../lib/text/guess-charset.ts'
import { attempt } from '../../lib/unreadable.ts'

type CharsetMatch = { charset: string; charsetSource: string }

const unknown = 'x-unknown'

const canonical = (label: string): string | undefined => attempt(() => new TextDecoder(label).encoding)

const toMatch = (label: string | null | undefined, charsetSource: string): CharsetMatch | undefined => {
  const charset = label ? canonical(label) : undefined
  return charset === undefined ? undefined : { charset, charsetSource }
}

const fromBom = (body: Buffer): CharsetMatch | undefined => {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return toMatch('utf-8', 'bom')
  if (body[0] === 0xfe && body[1] === 0xff) return toMatch('utf-16be', 'bom')
  if (body[0] === 0xff && body[1] === 0xfe) return toMatch('utf-16le', 'bom')
  return undefined
}

const xmlDeclaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']{1,40})["']/i

const metaOrText =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|title|textarea|template|noframes|xmp|iframe)\b[\s\S]*?(?:<\/\1|$)|<meta\b[^>]{0,2000}>/gi

/** The `<meta>` elements that name a charset beyond the first kilobyte, outside of comments and of elements that hold text. */
const laterMetas = (body: Buffer): Buffer[] =>
  (
    body
      .subarray(0, 512 * 1024)
      .toString('latin1')
      .match(metaOrText) ?? []
  )
    .filter(piece => /^<meta\b[^>]*charset/i.test(piece))
    .slice(0, 20)
    .map(piece => Buffer.from(piece, 'latin1'))

const fromMarkup = (body: Buffer, mime: MIMEType | null): CharsetMatch | undefined => {
  const head = body.subarray(0, 1024).toString('latin1')
  const xmlCharset = toMatch(xmlDeclaration.exec(head)?.[1], 'xml')
  if (xmlCharset || /xml/.test(mime?.subtype ?? '')) return xmlCharset
  if (mime && !/html/.test(mime.subtype)) return undefined
  const sniffed = (bytes: Buffer) => attempt(() => sniff(bytes, { defaultEncoding: unknown })) ?? unknown
  const meta = sniffed(body)
  if (meta !== unknown) return toMatch(meta, 'meta')
  // A parser that meets the element later changes the encoding, too (HTML standard, section 13.2.3.4).
  return laterMetas(body)
    .map(tag => sniffed(tag))
    .flatMap(charset => (charset === unknown ? [] : (toMatch(charset, 'meta') ?? [])))[0]
}

/** The beginning of a character of several bytes, at the end of a body. */
const cutCharacter = /(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/

/** Valid, or cut inside its last character: then another one of several bytes stands before. "Caf\xe9" is none. */
const isCutUtf8 = (body: Buffer): boolean => {
  if (isUtf8(body)) return true
  const [cut] = cutCharacter.exec(body.subarray(-3).toString('latin1')) ?? []
  const whole = body.subarray(0, body.length - (cut?.length ?? 0))
  return cut !== undefined && isUtf8(whole) && !isAscii(whole)
}

const fromBytes = (body: Buffer): CharsetMatch | undefined =>
  isCutUtf8(body) ? toMatch('utf-8', 'valid-utf8') : toMatch(guessCharset(body), 'detected')

/** Node 20 decodes 0x80 to 0x9f of windows-1252 as control characters unless the decoder streams (nodejs/node#56542). */
const decode = (body: Buffer, charset: string): string => {
  if (charset === 'utf-8') return new TextDecoder().decode(body)
  const decoder = new TextDecoder(charset)
  return decoder.decode(body, { stream: true }) + decoder.decode()
}

/**
 * The text of a body and the charset it was read in, by the first that tells: byte order mark, `Content-Type`, XML
 * declaration, `<meta>`, the bytes being valid UTF-8, statistics, windows-1252 (HTML standard, section 13.2.3).
 */
export const readText = (body: Buffer, contentType: string): CharsetMatch & { text: string } => {
  const mime = attempt(() => MIMEType.parse(contentType)) ?? null
  const best = fromBom(body) ??
    toMatch(mime?.parameters.get('charset'), 'header') ??
    fromMarkup(body, mime) ??
    fromBytes(body) ?? { charset: 'windows-1252', charsetSource: 'default' }
  return { text: decode(body, best.charset), ...best }
}
