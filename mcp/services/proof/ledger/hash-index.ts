/**
 * Finds the number of a leaf by its hash: 8 bytes a leaf, where a Map of texts takes 150. `at` reads the hash of a leaf back. Of two
 * leaves with one hash the first is found.
 */
export const openHashIndex = (at: (index: number) => Buffer) => {
  let slots = new Uint32Array(1024)
  let length = 0

  /** The slot where a hash is, or would be. A slot holds the number of a leaf plus one. */
  const findSlot = (table: Uint32Array, hash: Buffer): number => {
    let slot = hash.readUInt32BE(0) % table.length
    for (;;) {
      const entry = table[slot] ?? 0
      if (entry === 0 || at(entry - 1).equals(hash)) return slot
      slot = (slot + 1) % table.length
    }
  }

  return {
    add(hash: Buffer, index: number): void {
      if (length * 2 >= slots.length) {
        const larger = new Uint32Array(slots.length * 2)
        for (const entry of slots) if (entry > 0) larger[findSlot(larger, at(entry - 1))] = entry
        slots = larger
      }
      const slot = findSlot(slots, hash)
      if (slots[slot] !== 0) return
      slots[slot] = index + 1
      length++
    },
    find(hash: Buffer): number | undefined {
      const entry = slots[findSlot(slots, hash)] ?? 0
      return entry === 0 ? undefined : entry - 1
    },
  }
}
