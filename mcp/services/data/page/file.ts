import { clean } from '../../../lib/text/clean.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'

/** Facts known of an answer that is no page. */
export type FileFacts = { type: string; size: number | null; name: string | null }

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The name that `Content-Disposition` gives (RFC 6266), the extended form first. */
const readDisposition = (header: string | undefined): string | null => {
  const extended = /filename\*\s*=\s*[\w-]*'[\w-]*'([^;\s]{1,1000})/i.exec(header ?? '')?.[1]
  if (extended !== undefined) return clean(decode(extended), 255)
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.){1,1000})"|([^;\s]{1,1000}))/i.exec(header ?? '')
  return clean(plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2], 255)
}

const lastSegment = (url: string): string | null =>
  clean(decode(new URL(url).pathname.split('/').at(-1) ?? ''), 255)

/** Only the last part of a path: a name that a server gives may hold one. */
const withoutPath = (name: string | null): string | null => clean(name?.split(/[\\/]/).at(-1), 255)

const markup = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

/**
 * Type, size and name of an answer that is no HTML; undefined for a page. Without a media type the bytes tell: markup holds no
 * zero byte. The size is that of the whole file where the server says it or all of it came.
 */
export const toFileFacts = ({ url, headers, body, truncated }: Fetched): FileFacts | undefined => {
  const header = headers['content-type']?.trim() ?? ''
  if (header === '' ? !body.subarray(0, 1024).includes(0) : markup.test(header)) return undefined
  const type = header.split(';')[0]?.trim().toLowerCase() ?? ''
  const declared =
    headers['content-encoding'] === undefined && /^\d{1,15}$/.test(headers['content-length'] ?? '')
  return {
    type: type === '' ? 'application/octet-stream' : (clean(type, 100) ?? 'application/octet-stream'),
    size: declared ? Number(headers['content-length']) : truncated ? null : body.length,
    name: withoutPath(readDisposition(headers['content-disposition'])) ?? lastSegment(url),
  }
}
