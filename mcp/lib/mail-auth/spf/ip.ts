import { isIPv4, isIPv6 } from 'node:net'

/** An IP address; `bytes` in network order, `text` as it was written, in lower case. */
export type Ip = { version: 4 | 6; bytes: readonly number[]; text: string }

const hextets = (text: string): number[] =>
  text === '' ? [] : text.split(':').map(part => Number.parseInt(part, 16))

const bytes4 = (text: string): number[] => text.split('.').map(Number)

/** The dotted end of an IPv6 address as two groups: `::ffff:1.2.3.4` is `::ffff:102:304`. */
const withoutDots = (text: string): string =>
  text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })

const bytes6 = (text: string): number[] => {
  const [head = '', tail] = withoutDots(text).split('::')
  const [start, end] = [hextets(head), hextets(tail ?? '')]
  const zeros = tail === undefined ? [] : Array<number>(8 - start.length - end.length).fill(0)
  return [...start, ...zeros, ...end].flatMap(group => [group >> 8, group & 255])
}

/** Reads an IPv4 or IPv6 address without a zone; undefined when it is none. */
export const parseIp = (text: string): Ip | undefined => {
  if (isIPv4(text)) return { version: 4, bytes: bytes4(text), text }
  if (!isIPv6(text) || text.includes('%')) return undefined
  return { version: 6, bytes: bytes6(text), text: text.toLowerCase() }
}

/** The address of a client: one that IPv6 carries for IPv4 (`::ffff:1.2.3.4`) is an IPv4 address (RFC 7208 section 5). */
export const parseClientIp = (text: string): Ip | undefined => {
  const ip = parseIp(text.trim())
  if (ip?.version !== 6) return ip
  const isMapped =
    ip.bytes.slice(0, 10).every(byte => byte === 0) && ip.bytes[10] === 255 && ip.bytes[11] === 255
  if (!isMapped) return { ...ip, text: new URL(`http://[${ip.text}]/`).hostname.slice(1, -1) }
  const bytes = ip.bytes.slice(12)
  return { version: 4, bytes, text: bytes.join('.') }
}

/** True when the first `bits` bits of both are the same; never for addresses of two versions. */
export const inNetwork = (ip: Ip, network: Ip, bits: number): boolean => {
  if (ip.version !== network.version) return false
  return ip.bytes.every((byte, index) => {
    const bitsLeft = Math.min(8, Math.max(0, bits - index * 8))
    const mask = 256 - 2 ** (8 - bitsLeft)
    return (byte & mask) === ((network.bytes[index] ?? 0) & mask)
  })
}

/** Dotted as the macro `i` has it: `192.0.2.1`, and every nibble of an IPv6 address (RFC 7208 section 7.3). */
export const formatMacroIp = ({ version, bytes }: Ip): string =>
  version === 4 ? bytes.join('.') : [...Buffer.from(bytes).toString('hex').toUpperCase()].join('.')

/** The name that holds the PTR records of an address. */
export const reverseName = (ip: Ip): string =>
  `${formatMacroIp(ip).split('.').reverse().join('.')}.${ip.version === 4 ? 'in-addr' : 'ip6'}.arpa`
