const startsWith = (bytes: Uint8Array, at: number, text: string): boolean =>
  Buffer.from(bytes.subarray(at, at + text.length)).toString('latin1') === text

/** Media types by the brands of an ISO base media file (`ftyp`). */
const brandTypes: readonly (readonly [RegExp, string])[] = [
  [/^(?:heic|heix|hevc|mif1|msf1|heim|heis)$/, 'image/heic'],
  [/^(?:avif|avis)$/, 'image/avif'],
  [/^qt {2}$/, 'video/quicktime'],
  [/^(?:isom|iso[2-9]|mp4[12]|avc1|dash|M4V |MSNV|3gp\w|f4v )$/, 'video/mp4'],
]

/**
 * The media type that the first bytes of a file show; undefined for one that is not known here. Text, of which nothing is a sign, is
 * `text/plain` when it is UTF-8 without control characters.
 */
export const detectMediaType = (head: Uint8Array): string | undefined => {
  const is = (text: string, at = 0) => startsWith(head, at, text)
  if (is('\xff\xd8\xff')) return 'image/jpeg'
  if (is('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (is('GIF87a') || is('GIF89a')) return 'image/gif'
  if (is('RIFF') && is('WEBP', 8)) return 'image/webp'
  if (is('%PDF-')) return 'application/pdf'
  if (is('PK\x03\x04') || is('PK\x05\x06')) return 'application/zip'
  if (is('\x1aE\xdf\xa3')) return 'video/webm'
  if (is('ftyp', 4)) {
    const brand = Buffer.from(head.subarray(8, 12)).toString('latin1')
    return brandTypes.find(([form]) => form.test(brand))?.[1]
  }
  return isText(head) ? 'text/plain' : undefined
}

const isText = (head: Uint8Array): boolean => {
  if (head.some(byte => byte < 9 || (byte > 13 && byte < 32) || byte === 127)) return false
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Types that are told apart by what is inside, not by how they begin. */
const containers: Readonly<Record<string, RegExp>> = {
  'application/zip':
    /^application\/(?:zip|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+)$/,
  'text/plain': /^(?:text\/(?:plain|csv|markdown)|application\/json)$/,
  'image/heic': /^image\/hei[cf]$/,
  'video/mp4': /^video\/(?:mp4|quicktime)$/,
  'video/webm': /^video\/(?:webm|x-matroska)$/,
}

/** True when a file that begins so can be of a media type. */
export const fitsMediaType = (head: Uint8Array, type: string): boolean => {
  const detected = detectMediaType(head)
  if (detected === undefined) return false
  return detected === type || (containers[detected]?.test(type) ?? false)
}
