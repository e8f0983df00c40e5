/** Every price of the broker, in credits; a credit is 500 millionths of a USD, so 20,000 credits are 10.00. */
export const fees = {
  /** A page of the feed, one listing. */
  meteredRead: 1,
  /** Posting a listing, on top of the metered call. */
  listing: 200,
  /** A sealed deal, from each side. */
  deal: 2000,
} as const

/** Credits for proof of control of a domain, once. */
export const domainGrant = 20_000

/** Listings that an account without any funds ever may post for nothing. */
export const freeListings = 3

const microPerCredit = 500n

/** Credits as USD: `2000` is `1.00`, `1` is `0.0005`. */
export const toUsd = (credits: number): string => {
  const micro = BigInt(credits) * microPerCredit
  const fraction = (micro % 1_000_000n)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${micro / 1_000_000n}.${fraction}`
}

/** Top-ups for sale by x402, by name: USD and the credits it brings. */
export const topUps = {
  '0.50': 1000,
  '1.00': 2000,
  '5.00': 10_000,
  '10.00': 20_000,
  '50.00': 100_000,
} as const satisfies Record<string, number>

export type TopUp = keyof typeof topUps

const sizes = Object.entries(topUps) as [TopUp, number][]

/** The smallest top-up that covers a cost. */
export const topUpFor = (credits: number): TopUp =>
  sizes.find(([, brings]) => brings >= credits)?.[0] ?? '50.00'
