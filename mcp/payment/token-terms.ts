import { ToolError } from '../kernel/error.ts'
import { atomicUnits } from './atomic-units.ts'
import type { Offer, Quote } from './method.ts'
import { developmentSource, type Rate, type Rates } from './rates.ts'

/** A token that is worth a dollar, on a network as people call it; `local` where it is worth nothing. */
export type Token = { decimals: number; symbol: string; title: string; local?: boolean }

type Terms = Pick<Offer, 'amount' | 'decimals' | 'payTo' | 'words'> & { rate?: Rate }

/** Atomic units as people read them: `100000` with 6 decimals is `0.10`. */
export const tokenAmount = (atomic: string, decimals: number): string => {
  const digits = atomic.padStart(decimals + 1, '0')
  const [whole, part] = [digits.slice(0, -decimals), digits.slice(-decimals)]
  return `${whole}.${part.replace(/0+$/, '').padEnd(2, '0')}`
}

/** `0.10 USDC on Base`. */
export const tokenWords = (atomic: string, { decimals, symbol, title }: Token): string =>
  `${tokenAmount(atomic, decimals)} ${symbol} on ${title}`

/**
 * What a quote costs in a token: the exact amount and payee of the call's own terms, or the price and `payTo`. Throws `unavailable`
 * where the price would be converted by a development rate into money.
 */
export const tokenTerms = async (
  { price }: Quote,
  rates: Rates,
  token: Token,
  payTo: () => Promise<string>,
): Promise<Terms> => {
  const { terms } = price
  const converted = terms?.amount === undefined ? await rates.convert(price, 'usd') : undefined
  const isMadeUp = converted?.rate?.source === developmentSource
  if (isMadeUp && !token.local)
    throw new ToolError(
      'unavailable',
      `A development rate is for local chains, and ${token.title} is none.`,
      {
        hint: 'The operator states a rate in OCTAGENT_RATES.',
      },
    )
  const amount = converted ? String(atomicUnits(converted.amount, token.decimals)) : (terms?.amount ?? '0')
  return {
    amount,
    decimals: token.decimals,
    payTo: terms?.payTo ?? (await payTo()),
    words: `${tokenWords(amount, token)}${isMadeUp ? ' (at a development rate)' : ''}`,
    ...(converted?.rate && { rate: converted.rate }),
  }
}
