import { ToolError } from '../kernel/error.ts'
import type { Price } from '../kernel/tool.ts'

type Unit = Price['unit']

/** An amount in another unit, and what it was converted by; no `rate` where nothing was. */
export type Converted = { amount: string; rate?: Rate }

/** Basis of a converted price; the quote pins it and the receipt shows it. `at` is ISO 8601. */
export type Rate = { rate: string; source: string; at: string }

/** A stated rate: one `unit` is worth `usd` dollars, as a decimal string. */
export type RateSource = (unit: Exclude<Unit, 'usd'>) => Promise<(Rate & { usd: string }) | undefined>

export type Rates = {
  /** Throws `unavailable` where no source states a rate: no price is made up. */
  convert(price: Pick<Price, 'amount' | 'unit'>, to: Unit): Promise<Converted>
}

const digits = 18n

/** A decimal string as an integer of 10^-18. */
const parseRate = (amount: string): bigint => {
  const [, whole = '', part = ''] = /^(\d{1,18})(?:\.(\d{1,18}))?$/.exec(amount) ?? []
  if (whole === '') throw new Error(`no decimal amount: ${amount}`)
  return BigInt(whole) * 10n ** digits + BigInt(part.padEnd(Number(digits), '0'))
}

/** Digits after the point that a unit is paid in; converted amounts are rounded up to them. */
const places: Readonly<Record<Unit, bigint>> = { usd: 6n, sat: 0n, credit: 0n }

const text = (units: bigint, decimals: bigint): string => {
  const base = 10n ** decimals
  const part =
    decimals === 0n
      ? ''
      : String(units % base)
          .padStart(Number(decimals), '0')
          .replace(/0+$/, '')
  return part === '' ? String(units / base) : `${units / base}.${part}`
}

const ceil = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** Conversions between dollars, sats and credits by stated rates, rounded up by at most one unit of what is paid. */
export const openRates = (sources: readonly RateSource[]): Rates => {
  const readRate = async (unit: Exclude<Unit, 'usd'>): Promise<Rate & { usd: string }> => {
    for (const source of sources) {
      const rate = await source(unit)
      if (rate) return rate
    }
    throw new ToolError('unavailable', `No rate between ${unit} and usd is configured here.`, {
      hint: 'The operator states one in OCTAGENT_RATES.',
    })
  }
  return {
    async convert({ amount, unit }, to) {
      if (unit === to) return { amount }
      let value = parseRate(amount)
      let used: Rate | undefined
      if (unit !== 'usd') {
        const { usd, ...rate } = await readRate(unit)
        value = ceil(value * parseRate(usd), 10n ** digits)
        used = rate
      }
      if (to !== 'usd') {
        const { usd, ...rate } = await readRate(to)
        value = ceil(value * 10n ** digits, parseRate(usd))
        used = used
          ? { ...rate, rate: `${used.rate}; ${rate.rate}`, source: `${used.source}; ${rate.source}` }
          : rate
      }
      return {
        amount: text(ceil(value, 10n ** (digits - places[to])), places[to]),
        ...(used && { rate: used }),
      }
    },
  }
}

/** Value of a sat where no money is. It is nobody's rate. */
const developmentSat = '0.0006'

/** The source of rates that are made up, for local chains. */
export const developmentSource = 'development'

/**
 * Rates for local chains, where no money is: sats that no source states a rate for are worth a made-up amount there, which
 * says of itself that it is. Methods on real networks refuse it.
 */
export const withDevelopmentRate = (rates: Rates, now: () => Date): Rates => {
  const madeUp = openRates([
    async unit =>
      unit === 'sat'
        ? {
            usd: developmentSat,
            rate: `1 sat = ${developmentSat} usd`,
            source: developmentSource,
            at: now().toISOString(),
          }
        : undefined,
  ])
  return {
    convert: (price, to) =>
      rates.convert(price, to).catch(error => {
        const isUnstated = error instanceof ToolError && error.code === 'unavailable'
        const isOfSats = [price.unit, to].every(unit => unit === 'sat' || unit === 'usd')
        if (isUnstated && isOfSats) return madeUp.convert(price, to)
        throw error
      }),
  }
}

/** Rates that the operator states, such as `{ sat: '0.00060' }`: dollars for one unit. */
export const configuredRates =
  (usd: Partial<Record<Exclude<Unit, 'usd'>, string>>, now: () => Date): RateSource =>
  async unit => {
    const worth = usd[unit]
    if (worth === undefined) return undefined
    return { usd: worth, rate: `1 ${unit} = ${worth} usd`, source: 'configured', at: now().toISOString() }
  }
