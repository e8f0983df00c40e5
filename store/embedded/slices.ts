import { setImmediate as turn } from 'node:timers/promises'

/** Cost limit of a slice of work: about as many characters as are read and parsed in one to three milliseconds. */
export const sliceCost = 192 * 1024

/** Work that grows with the data, in slices: whoever does it says what it cost, and waits a turn where it is told to. */
export type Slices = {
  /** Undefined while the slice has room; else resolves when everybody else had a turn. `cost` is in characters. */
  spend(cost: number): Promise<void> | undefined
}

/** Slices that begin now. `onSlice` hears what each one cost. */
export const openSlices = (onSlice?: (cost: number) => void): Slices => {
  let spentMs = 0
  return {
    spend: cost => {
      spentMs += cost
      if (spentMs < sliceCost) return undefined
      onSlice?.(spentMs)
      spentMs = 0
      return turn()
    },
  }
}
