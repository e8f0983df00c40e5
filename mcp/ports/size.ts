const ownBytes = (value: unknown): number => {
  if (typeof value === 'string') return value.length * 2 + 16
  if (Buffer.isBuffer(value)) return value.length + 64
  return typeof value === 'object' && value !== null ? 64 : 8
}

/** About how many bytes a plain value takes in memory. Stops counting past `most`, so that it costs little. */
export const estimateBytes = (value: unknown, maxBytes: number): number => {
  const open: unknown[] = [value]
  let bytes = 0
  while (open.length > 0 && bytes <= maxBytes) {
    const next = open.pop()
    bytes += ownBytes(next)
    if (typeof next !== 'object' || next === null || Buffer.isBuffer(next)) continue
    for (const inner of Object.values(next)) open.push(inner)
  }
  return bytes
}
