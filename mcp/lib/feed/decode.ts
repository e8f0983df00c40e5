import { guessCharset } from '../text/guess-charset.ts'
import { attempt } from '../unreadable.ts'

const canonical = (label: string | undefined): string | undefined =>
  label === undefined ? undefined : attempt(() => new TextDecoder(label.trim()).encoding)

const fromMark = (bytes: Uint8Array): string | undefined => {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c && c === 0)) return 'utf-16be'
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0 && d === 0)) return 'utf-16le'
  return undefined
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Charsets of one byte a character read any bytes, so that they are easily named by mistake. */
const isSingleByte = (charset: string) => /^(?:windows|iso-8859|koi8|mac|x-mac|ibm)/.test(charset)

/** The charset that a server or a document names, unless the bytes show that it is wrong. */
const detectCharset = (bytes: Uint8Array, contentType: string): string => {
  const bomCharset = fromMark(bytes)
  if (bomCharset !== undefined) return bomCharset
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1')
  const headerCharset = canonical(/charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1])
  const declaredCharset = canonical(/^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']{1,40})["']/i.exec(head)?.[1])
  const charsets = [headerCharset, declaredCharset].filter(
    charset => charset !== undefined && !/^utf-16/.test(charset),
  )
  const other = charsets.find(charset => charset !== 'utf-8')
  if (isUtf8(bytes))
    return other === undefined || isSingleByte(other) || charsets.includes('utf-8') ? 'utf-8' : other
  return other ?? canonical(guessCharset(bytes)) ?? 'windows-1252'
}

/** The text of a feed: by byte order mark, `Content-Type`, XML declaration, or the bytes themselves (RFC 7303). */
export const decodeFeed = (bytes: Uint8Array, contentType: string): string => {
  const decoder = new TextDecoder(detectCharset(bytes, contentType))
  return decoder.decode(bytes, { stream: true }) + decoder.decode()
}
