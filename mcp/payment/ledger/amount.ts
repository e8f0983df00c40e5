/** Units of money: millionths of a USD Coin, whole credits, thousandths of a satoshi. */
export type Unit = 'USDC' | 'credit' | 'msat'

/** A number of atomic units. The unit is in the type, so that amounts of two units cannot be mixed. */
export type Amount<U extends Unit = Unit> = { readonly unit: U; readonly value: bigint }

/** How many digits stand behind the point when people write an amount. */
export const decimals: Readonly<Record<Unit, number>> = { USDC: 6, credit: 0, msat: 0 }

const makeAmount =
  <U extends Unit>(unit: U) =>
  (value: bigint): Amount<U> => ({ unit, value })

/** Amounts from atomic units: `usdc(100_000n)` is 0.10. */
export const usdc = makeAmount('USDC')
export const credits = makeAmount('credit')
export const msats = makeAmount('msat')

/** The value, after a check that the unit is the one meant, for callers whose types were lost on the way. */
export const valueIn = <U extends Unit>(unit: U, amount: Amount<NoInfer<U>>): bigint => {
  if (amount.unit !== unit) throw new Error(`an amount in ${amount.unit} where ${unit} is meant`)
  if (typeof amount.value !== 'bigint') throw new Error(`the value of an amount in ${unit} is no bigint`)
  return amount.value
}

export const add = <U extends Unit>(one: Amount<U>, other: Amount<NoInfer<U>>): Amount<U> => ({
  unit: one.unit,
  value: one.value + valueIn(one.unit, other),
})

export const subtract = <U extends Unit>(from: Amount<U>, amount: Amount<NoInfer<U>>): Amount<U> => ({
  unit: from.unit,
  value: from.value - valueIn(from.unit, amount),
})

export const negative = <U extends Unit>({ unit, value }: Amount<U>): Amount<U> => ({ unit, value: -value })
