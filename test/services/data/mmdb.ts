/** Marks of the types of MaxMind DB 2.0 that are written here. */
const types = { text: 2, double: 3, map: 7 }

const head = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29])

const unsigned = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return Buffer.concat([Buffer.from([(6 << 5) | 4]), bytes])
}

/** Arrays are of the extended types: 7 + 4. */
const list = (values: readonly unknown[]): Buffer =>
  Buffer.concat([Buffer.from([values.length, 4]), ...values.map(encode)])

const encode = (value: unknown): Buffer => {
  if (typeof value === 'string')
    return Buffer.concat([head(types.text, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return Buffer.concat([head(types.double, 8), bytes])
  }
  if (Array.isArray(value)) return list(value)
  const entries = Object.entries(value as object)
  return Buffer.concat([
    head(types.map, entries.length),
    ...entries.flatMap(([key, one]) => [encode(key), encode(one)]),
  ])
}

type Node = [left: Node | number | undefined, right: Node | number | undefined]

const bitsOf = (prefix: string): number[] => {
  const [address = '', length = '32'] = prefix.split('/')
  const bits = address.split('.').flatMap(part => [...Number(part).toString(2).padStart(8, '0')].map(Number))
  return bits.slice(0, Number(length))
}

/** Writes a MaxMind DB file of IPv4 prefixes (version 2.0 of the format, records of 24 bits). */
export const writeMmdb = (places: Readonly<Record<string, object>>): Buffer => {
  const root: Node = [undefined, undefined]
  const nodes: Node[] = [root]
  const data: Buffer[] = []
  let offset = 0
  for (const [prefix, place] of Object.entries(places)) {
    const bits = bitsOf(prefix)
    const last = bits.pop() ?? 0
    let node = root
    for (const bit of bits) {
      const next = node[bit]
      if (Array.isArray(next)) node = next
      else {
        const made: Node = [undefined, undefined]
        nodes.push(made)
        node[bit] = made
        node = made
      }
    }
    node[last] = offset
    const bytes = encode(place)
    data.push(bytes)
    offset += bytes.length
  }
  const count = nodes.length
  const tree = Buffer.alloc(count * 6)
  nodes.forEach((node, at) => {
    node.forEach((leaf, side) => {
      const value =
        leaf === undefined ? count : typeof leaf === 'number' ? count + 16 + leaf : nodes.indexOf(leaf)
      tree.writeUIntBE(value, at * 6 + side * 3, 3)
    })
  })
  const facts = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    ip_version: 4,
    node_count: count,
    record_size: 24,
    build_epoch: 0,
  }
  const metadata = Buffer.concat([
    head(types.map, Object.keys(facts).length + 1),
    ...Object.entries(facts).flatMap(([key, value]) => [encode(key), unsigned(value)]),
    encode('database_type'),
    encode('Test-City'),
  ])
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('abcdef', 'hex'),
    Buffer.from('MaxMind.com'),
    metadata,
  ])
}
