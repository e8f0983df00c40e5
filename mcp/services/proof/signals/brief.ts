import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { median } from './statistics.ts'
import { type MarketRow, type Venue, VenueFault, venueIds } from './venue.ts'

const top = 5
/** Markets that are hardly traded say nothing of the whole. */
const minVolumeUsd = 100_000

const Row = z
  .object({
    symbol: z.string().describe('Perpetual, as the venue names it'),
    change_24h: z.number().describe('Change of its price within 24 hours'),
    volume_usd: z.number().describe('Traded within 24 hours, in USD'),
    funding_apr: z.number().describe('Funding rate for a year'),
    open_interest_usd: z.number().describe('Open interest in USD'),
  })
  .describe('A perpetual')

export const BriefOutput = z
  .object({
    source: z.enum(venueIds).describe('Venue'),
    as_of: z.string().describe('When it was so, as the venue says, or when it was read'),
    age_seconds: z.number().describe('How old it is'),
    markets: z.int().describe('Perpetuals with a volume above 100,000 USD'),
    advancing: z.int().describe('Of those, how many rose'),
    declining: z.int().describe('Of those, how many fell'),
    median_change_24h: z.number().describe('Median change within 24 hours'),
    median_funding_apr: z.number().describe('Median funding rate for a year'),
    volume_usd: z.number().describe('Traded within 24 hours, in USD'),
    open_interest_usd: z.number().describe('Open interest, in USD'),
    most_traded: z.array(Row).describe('By volume'),
    rose_most: z.array(Row).describe('By change'),
    fell_most: z.array(Row).describe('By change'),
    longs_pay_most: z.array(Row).describe('By funding rate'),
    shorts_pay_most: z.array(Row).describe('By funding rate'),
    text: z.string().describe('The same in two sentences'),
  })
  .describe('All perpetuals of one venue')

export type Brief = z.output<typeof BriefOutput>

/** Safe names of markets: strangers who list coins on a venue choose them. */
const safeSymbol = /^[A-Za-z0-9:._/-]{1,30}$/

const toRow = ({ symbol, mark, previous, volumeUsd, fundingApr, openInterestUsd }: MarketRow) => ({
  symbol,
  change_24h: mark / previous - 1,
  volume_usd: volumeUsd,
  funding_apr: fundingApr,
  open_interest_usd: openInterestUsd,
})

type Row = ReturnType<typeof toRow>

const first = (rows: readonly Row[], by: (row: Row) => number): Row[] =>
  [...rows].sort((a, b) => by(b) - by(a)).slice(0, top)

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`

const billions = (value: number): string => `${(value / 1e9).toFixed(2)} bn USD`

const maxAgeMs = 3_600_000

const summarize = (venue: Venue, markets: readonly MarketRow[], at: number, now: number): Brief => {
  if (now - at > maxAgeMs) throw new VenueFault('what it says is more than an hour old')
  const rows = markets
    .filter(({ symbol, volumeUsd }) => safeSymbol.test(symbol) && volumeUsd >= minVolumeUsd)
    .map(toRow)
  if (rows.length < 10) throw new VenueFault('it lists fewer than ten markets that are traded')
  const advancing = rows.filter(({ change_24h }) => change_24h > 0).length
  const declining = rows.filter(({ change_24h }) => change_24h < 0).length
  const change = median(rows.map(({ change_24h }) => change_24h)) ?? 0
  const funding = median(rows.map(({ funding_apr }) => funding_apr)) ?? 0
  const volume = rows.reduce((sum, { volume_usd }) => sum + volume_usd, 0)
  const interest = rows.reduce((sum, { open_interest_usd }) => sum + open_interest_usd, 0)
  return {
    source: venue.id,
    as_of: new Date(Math.min(at, now)).toISOString(),
    age_seconds: Math.max(0, Math.floor((now - at) / 1000)),
    markets: rows.length,
    advancing,
    declining,
    median_change_24h: change,
    median_funding_apr: funding,
    volume_usd: volume,
    open_interest_usd: interest,
    most_traded: first(rows, row => row.volume_usd),
    rose_most: first(rows, row => row.change_24h),
    fell_most: first(rows, row => -row.change_24h),
    longs_pay_most: first(rows, row => row.funding_apr),
    shorts_pay_most: first(rows, row => -row.funding_apr),
    text: `${advancing} of ${rows.length} perpetuals rose within 24 hours, ${declining} fell; the median change is ${percent(change)}. ${billions(volume)} were traded, ${billions(interest)} are open, and the median funding rate is ${percent(funding)} a year.`,
  }
}

/** The first venue that tells of all its perpetuals. Throws `upstream` where none does. */
export const readBrief = async (venues: readonly Venue[], now: Date): Promise<Brief> => {
  const reasons: string[] = []
  for (const venue of venues) {
    if (!venue.markets) continue
    try {
      const { rows, at } = await venue.markets()
      return summarize(venue, rows, at, now.getTime())
    } catch (error) {
      if (!(error instanceof VenueFault)) throw error
      reasons.push(`${venue.id}: ${error.message}`)
    }
  }
  throw new ToolError(
    'upstream',
    `No venue tells of all its markets (${reasons.join('; ') || 'none is asked'}).`,
    {
      retryable: true,
      retryAfter: 30,
    },
  )
}
