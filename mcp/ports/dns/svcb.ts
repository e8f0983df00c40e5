const keys = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint']

/** An HTTPS or SVCB record: `params` holds what RFC 9460 names, other keys as `key123` in base64. */
export type Svcb = { priority: number; target: string; params: Record<string, unknown> }

const readTarget = (data: Buffer, start: number): { target: string; end: number } => {
  const labels: string[] = []
  let at = start
  for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) {
    labels.push(data.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { target: labels.join('.') || '.', end: at + 1 }
}

const readNames = (value: Buffer): string[] => {
  const names: string[] = []
  for (let at = 0; at < value.length; at += 1 + value.readUInt8(at)) {
    names.push(value.toString('latin1', at + 1, at + 1 + value.readUInt8(at)))
  }
  return names
}

const pieces = (value: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.floor(value.length / size) }, (_, i) => value.subarray(i * size, (i + 1) * size))

const ipv6 = (bytes: Buffer) =>
  new URL(
    `http://[${pieces(bytes, 2)
      .map(part => part.toString('hex'))
      .join(':')}]/`,
  ).hostname.slice(1, -1)

const readParam = (key: number, value: Buffer): unknown => {
  if (key === 0) return pieces(value, 2).map(part => keys[part.readUInt16BE()] ?? `key${part.readUInt16BE()}`)
  if (key === 1) return readNames(value)
  if (key === 2) return true
  if (key === 3) return value.readUInt16BE()
  if (key === 4) return pieces(value, 4).map(part => part.join('.'))
  if (key === 6) return pieces(value, 16).map(ipv6)
  return value.toString('base64')
}

/** Reads the data of an HTTPS record, which dns-packet leaves raw (RFC 9460 section 2.2). Throws RangeError when broken. */
export const readSvcb = (data: Buffer): Svcb => {
  const { target, end } = readTarget(data, 2)
  const params: Record<string, unknown> = {}
  for (let at = end; at < data.length; ) {
    const key = data.readUInt16BE(at)
    const length = data.readUInt16BE(at + 2)
    params[keys[key] ?? `key${key}`] = readParam(key, data.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return { priority: data.readUInt16BE(0), target, params }
}
