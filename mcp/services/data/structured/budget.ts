/** Limits of reading one page: values found, characters in them, and nodes looked at again for items that share them. */
export type ReadingBudget = {
  /** False when it is used up; what is found then is left out. */
  take(characters: number): boolean
  look(nodes: number): boolean
  readonly isSpent: boolean
}

const limits = { values: 40_000, characters: 3_000_000, looks: 2_000_000 }

export const openReadingBudget = (): ReadingBudget => {
  let { values, characters, looks } = limits
  return {
    take(length) {
      values--
      characters -= length
      return values >= 0 && characters >= 0
    },
    look(nodes) {
      looks -= nodes
      return looks >= 0
    },
    get isSpent() {
      return values < 0 || characters < 0 || looks < 0
    },
  }
}
