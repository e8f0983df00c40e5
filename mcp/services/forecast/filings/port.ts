import { ToolError } from '../../../kernel/error.ts'
import { port } from '../../../kernel/port.ts'
import { asRecord, parseRecord } from '../../../lib/json.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Workers } from '../../../ports/workers/port.ts'
import { forecastSettings } from '../config.ts'
import { type CompanyNumbers, module } from './company.ts'

const type = 'forecast-filings+jwt'
const validSeconds = 30 * 86_400

/** Scope of a page of filings: what somebody paid for. */
type Ticket = { cik: number; tier: string; years: number; periods: number }

/** A ticket to a page, for thirty days: signed, so that nothing has to be stored for it. */
export const makeTicket = (sign: Ports['sign'], ticket: Ticket, now: Date): string =>
  sign.jws({ kind: type, ...ticket, exp: Math.floor(now.getTime() / 1000) + validSeconds }, type)

/** Reads a ticket's scope; undefined for one that is not ours or over. */
export const readTicket = (sign: Ports['sign'], text: string, now: Date): Ticket | undefined => {
  const claims = sign.open(text)
  if (claims?.kind !== type || Number(claims.exp) * 1000 <= now.getTime()) return undefined
  const { cik, tier, years, periods } = claims
  return { cik: Number(cik), tier: String(tier), years: Number(years), periods: Number(periods) }
}

const day = 86_400_000
const maxBytes = 20 << 20
const maxCompanies = 64
/** Eight requests a second: the regulator blocks who asks more than ten. */
const gapMs = 125

type Company = { cik: number; ticker: string | null; name: string }
type Loaded = { numbers: CompanyNumbers; fetchedAt: Date; stale: boolean }

type Kept<value> = { value: value; at: number }

type Deps = {
  fetch: Fetch
  clock: Clock
  filingsContact: string
  filingsData: string
  filingsTickers: string
}

const away = (detail: string, retryAfter: number) => new ToolError('unavailable', detail, { retryAfter })

/** Company facts of the regulator, as it publishes them: asked once a day for each company, at most eight times a second. */
export const openFilings = ({ fetch, clock, filingsContact, filingsData, filingsTickers }: Deps) => {
  const companies = new Map<number, Kept<CompanyNumbers>>()
  const pending = new Map<number, Promise<Loaded>>()
  let tickers: Kept<Map<string, Company>> | undefined
  let lastAsked = Promise.resolve()

  /** One request after the other, each an eighth of a second after the one before has begun. */
  const ask = async (url: string) => {
    const turn = lastAsked
    lastAsked = turn.then(() => new Promise(resolve => setTimeout(resolve, gapMs).unref()))
    await turn
    const answer = await fetch(url, {
      headers: { 'user-agent': filingsContact },
      accept: 'application/json',
      maxBytes,
      maxRedirects: 2,
      namedBy: 'operator',
      deadlineMs: 12_000,
      fresh: true,
    }).catch((error: unknown) => {
      throw away(
        `The regulator cannot be reached: ${error instanceof Error ? error.message : 'no answer'}`,
        60,
      )
    })
    const host = new URL(url).host
    if (answer.status === 403) throw away(`${host} refuses us for a while (403).`, 600)
    if (answer.status === 429) throw away(`${host} asks us to wait (429).`, 600)
    if (answer.status !== 200 && answer.status !== 404) throw away(`${host} answered ${answer.status}.`, 60)
    if (answer.truncated) throw away(`${host} sent more than ${maxBytes >> 20} MiB, or broke off.`, 60)
    return answer
  }

  const loadTickers = async (): Promise<Map<string, Company>> => {
    const now = clock.now().getTime()
    if (tickers && now - tickers.at < day) return tickers.value
    try {
      const answer = await ask(filingsTickers)
      const rows = Object.values(parseRecord(answer.text().text) ?? {})
      const value = new Map<string, Company>()
      for (const row of rows) {
        const { cik_str, ticker, title } = asRecord(row)
        if (typeof ticker === 'string' && Number.isSafeInteger(Number(cik_str)))
          value.set(ticker.toUpperCase(), { cik: Number(cik_str), ticker, name: String(title ?? '') })
      }
      if (value.size === 0) throw away('The list of tickers cannot be read.', 60)
      tickers = { value, at: now }
      return value
    } catch (error) {
      if (tickers) return tickers.value
      throw error
    }
  }

  const download = async (cik: number, workers: Workers): Promise<Loaded> => {
    const before = companies.get(cik)
    const now = clock.now()
    if (before && now.getTime() - before.at < day) {
      return { numbers: before.value, fetchedAt: new Date(before.at), stale: false }
    }
    try {
      const padded = String(cik).padStart(10, '0')
      const answer = await ask(`${filingsData}/api/xbrl/companyfacts/CIK${padded}.json`)
      if (answer.status === 404)
        throw new ToolError('not_found', `The regulator has no company facts for CIK ${padded}.`)
      const value = await workers.run<CompanyNumbers>(module, 'readCompany', answer.body)
      companies.delete(cik)
      companies.set(cik, { value, at: now.getTime() })
      for (const oldest of companies.keys()) {
        if (companies.size <= maxCompanies) break
        companies.delete(oldest)
      }
      return { numbers: value, fetchedAt: now, stale: false }
    } catch (error) {
      // What was read before is better than nothing, if it says how old it is.
      if (before && !(error instanceof ToolError && error.code === 'not_found'))
        return { numbers: before.value, fetchedAt: new Date(before.at), stale: true }
      throw error
    }
  }

  return {
    /** The company of a ticker, a CIK, or both where they agree. Throws `not_found`, or `invalid_input` where they do not. */
    async company({
      ticker,
      cik,
    }: {
      ticker?: string | undefined
      cik?: number | undefined
    }): Promise<Company> {
      if (ticker === undefined) return { cik: cik ?? 0, ticker: null, name: '' }
      const company = (await loadTickers()).get(ticker.toUpperCase().replace('.', '-'))
      if (!company) throw new ToolError('not_found', `No filer has the ticker ${ticker}.`)
      if (cik !== undefined && cik !== company.cik) {
        const message = `is ${cik}, and ${ticker} is ${company.cik}`
        throw new ToolError('invalid_input', `cik: ${message}.`, { issues: [{ path: 'cik', message }] })
      }
      return company
    },
    /** The numbers of a company; those that ask at once share one request. */
    numbers(cik: number, workers: Workers): Promise<Loaded> {
      const work = pending.get(cik) ?? download(cik, workers)
      pending.set(cik, work)
      const land = () => void pending.delete(cik)
      work.then(land, land)
      return work
    },
  }
}

/** Filings of companies with the regulator. Off until a contact is set. */
export const filings = port({
  name: 'filings',
  needs: [
    'fetch',
    'clock',
    forecastSettings.filingsContact,
    forecastSettings.filingsData,
    forecastSettings.filingsTickers,
  ],
}).open(openFilings)
