import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../mcp/kernel/error.ts'
import { parseRecord } from '../mcp/lib/json.ts'
import { stablecoinOn } from '../mcp/lib/stablecoins.ts'
import { formatUsd, parseUsd } from '../mcp/lib/usd.ts'
import { toCaip2 } from '../mcp/lib/usd-tokens.ts'
import { keepAnew } from '../mcp/ports/write-file.ts'

/** Limits on paying without asking, in millionths of a USD, and the networks that are no local chain. */
export type PaymentLimits = {
  /** In any 24 hours. */
  budget: bigint
  perCall: bigint
  /** Over everything that was ever paid; undefined for no such end. */
  total: bigint | undefined
  /** CAIP-2. */
  networks: readonly string[]
}

/** Limits as somebody wrote them: options of a command, or the file. */
export type LimitTexts = {
  budget?: string | undefined
  perCall?: string | undefined
  /** `none` takes it away. */
  total?: string | undefined
  /** Names or CAIP-2, between commas; `none` for none. */
  network?: string | undefined
}

const defaults = { budget: '1.00', perCall: '0.05', total: 'none', network: 'none' }

const readAmount = (name: string, text: string): bigint => {
  const micros = parseUsd(text)
  if (micros !== undefined) return micros
  throw new ToolError(
    'invalid_input',
    `${name}: "${text.slice(0, 40)}" is no amount in USD, such as 1.00 or 0.05.`,
  )
}

const readNetwork = (name: string): string => {
  const network = toCaip2(name)
  const [, chainId] = /^eip155:(\d{1,12})$/.exec(network) ?? []
  if (chainId !== undefined && stablecoinOn(Number(chainId))) return network
  throw new ToolError('invalid_input', `--network: connect knows no USDC on "${name.slice(0, 40)}".`, {
    hint: 'Name networks that it may pay on, between commas, such as base or base-sepolia.',
  })
}

/** Reads limits; what is not written has its default. Throws ToolError `invalid_input` that names the option. */
export const parseLimits = (texts: LimitTexts): PaymentLimits => {
  const { budget, perCall, total, network } = { ...defaults, ...withoutAbsent(texts) }
  const names = network === 'none' ? [] : network.split(',').map(name => name.trim())
  return {
    budget: readAmount('--budget', budget),
    perCall: readAmount('--per-call', perCall),
    total: total === 'none' ? undefined : readAmount('--total', total),
    networks: names.map(readNetwork),
  }
}

const withoutAbsent = (texts: LimitTexts): Partial<Record<keyof LimitTexts, string>> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined && text !== ''))

/** Limits as the file and `--json` have them. */
export const toLimitTexts = ({ budget, perCall, total, networks }: PaymentLimits): Required<LimitTexts> => ({
  budget: formatUsd(budget),
  perCall: formatUsd(perCall),
  total: total === undefined ? 'none' : formatUsd(total),
  network: networks.length === 0 ? 'none' : networks.join(','),
})

const fileIn = (folder: string): string => join(folder, 'limits.json')

/** Reads the last `octagent limits`; nothing where there was none. */
export const readLimitTexts = async (folder: string): Promise<LimitTexts> => {
  const text = await readFile(fileIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return {}
  const { budget, perCall, total, network } = parseRecord(text) ?? {}
  const texts = { budget, perCall, total, network }
  if (Object.values(texts).every(value => value === undefined || typeof value === 'string'))
    return texts as LimitTexts
  throw new ToolError('unavailable', `${fileIn(folder)} cannot be read.`, {
    hint: 'Delete it, and set the limits again.',
  })
}

/** Keeps limits for every connect that has none of its own. */
export const writeLimits = (folder: string, limits: PaymentLimits): Promise<void> =>
  keepAnew(fileIn(folder), toLimitTexts(limits))

/** The limits that hold now: options of the command, then the file, then the defaults. */
export const openPaymentLimits = (folder: string, options: LimitTexts) => async (): Promise<PaymentLimits> =>
  parseLimits({ ...(await readLimitTexts(folder)), ...withoutAbsent(options) })
