/**
 * What a check of a network came to. `wrong`: a setting is not what it has to be, and no waiting mends it. `failing`: it may mend
 * itself, as a node that does not answer does.
 */
export type NetworkFinding = {
  check: string
  state: 'ok' | 'wrong' | 'failing'
  detail: string
  /** Settlements that the gas is enough for, where it is gas that was looked at. */
  settlements?: number
}

export const ok = (check: string, detail: string): NetworkFinding => ({ check, state: 'ok', detail })

export const wrong = (check: string, detail: string): NetworkFinding => ({ check, state: 'wrong', detail })

const failing = (check: string, detail: string): NetworkFinding => ({
  check,
  state: 'failing',
  detail,
})

const limitMs = 10_000

const inTime = async <T>(work: Promise<T>): Promise<T | undefined> => {
  let late: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>(resolve => {
    late = setTimeout(() => resolve(undefined), limitMs)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(late))
}

/** A check whose node or facilitator does not answer is failing; its own words are dropped, since they quote addresses and keys. */
export const finding = async (
  check: string,
  look: () => Promise<Omit<NetworkFinding, 'check'>>,
): Promise<NetworkFinding> => {
  try {
    const fault = await inTime(look())
    return fault ? { check, ...fault } : failing(check, 'it does not answer in time')
  } catch {
    return failing(check, 'it does not answer just now')
  }
}
