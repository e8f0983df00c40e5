/** Parts of a hundred that the house keeps of what one account pays another. */
const housePercent = 5

/** Splits a price in whole sats; what does not divide goes to who earns it. */
export const splitPrice = (sats: number): { earned: number; fee: number } => {
  const fee = Math.floor((sats * housePercent) / 100)
  return { earned: sats - fee, fee }
}
