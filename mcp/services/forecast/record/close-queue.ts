type Item = { readonly at: number; readonly id: string }

/** Ids in the order of their times: what is due is taken in logarithmic time, however many wait (a binary heap). */
export const openCloseQueue = () => {
  const heap: Item[] = []

  const swap = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]]
    if (a && b) [heap[one], heap[other]] = [b, a]
  }
  const timeAt = (index: number) => heap[index]?.at ?? Number.POSITIVE_INFINITY

  return {
    add(item: Item): void {
      let index = heap.push(item) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (timeAt(parent) <= item.at) return
        swap(parent, index)
        index = parent
      }
    },
    /** The id whose time comes first, if that is not after `at`; it is then gone from here. */
    take(at: number): string | undefined {
      const first = heap[0]
      if (!first || first.at > at) return undefined
      swap(0, heap.length - 1)
      heap.pop()
      for (let index = 0; ; ) {
        const [left, right] = [2 * index + 1, 2 * index + 2]
        const smaller = timeAt(right) < timeAt(left) ? right : left
        if (timeAt(smaller) >= timeAt(index)) return first.id
        swap(smaller, index)
        index = smaller
      }
    },
  }
}
