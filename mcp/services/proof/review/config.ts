import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { port } from '../../../kernel/port.ts'
import { settings } from '../../../kernel/setting.ts'
import { jsonText } from '../../../lib/setting-texts.ts'
import type { TradingState } from './trading-state.ts'

const KnownBad = z.strictObject({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address'),
  chain_id: z.number().int().positive().optional(),
  reason: z.string().min(1).max(200),
})

/** An address that is rejected wherever it occurs; on every chain where none is named. */
export type KnownBad = z.output<typeof KnownBad>

export const reviewSettings = settings({
  knownBad: {
    variable: 'PROOF_KNOWN_BAD',
    schema: jsonText(z.array(KnownBad).max(10_000)),
    description:
      'Addresses that reviews reject wherever they occur: JSON list of address, reason and chain_id (all chains without it).',
    default: '[]',
    example: '[{"address":"0x00000000000000000000000000000000000000bd","reason":"drainer"}]',
  },
  tradingStateFile: {
    variable: 'PROOF_TRADING_STATE',
    schema: z.string().min(1),
    description:
      'JSON file of the trading state that reviews of trades look at: equity, paused, regime, at, and positions with symbol, size and pnl. Read anew for each review.',
    example: '/var/lib/octagent/trading-state.json',
  },
})

const State = z.object({
  equity: z.number().min(0),
  paused: z.boolean(),
  regime: z.string().nullable().default(null),
  positions: z
    .array(z.object({ symbol: z.string(), size: z.number(), pnl: z.number() }))
    .max(1000)
    .default([]),
  at: z.iso.datetime(),
})

/** The book of a trading service, as it is now. */
export type TradingStateSource = { read(): Promise<TradingState> }

const maxBytes = 1 << 20

/** The trading state in a file that the trading service writes. */
export const tradingState = port({
  name: 'tradingState',
  needs: [reviewSettings.tradingStateFile],
}).open(
  ({ tradingStateFile }): TradingStateSource => ({
    async read() {
      try {
        if ((await stat(tradingStateFile)).size > maxBytes) throw new Error('too large')
        return State.parse(JSON.parse(await readFile(tradingStateFile, 'utf8')))
      } catch (cause) {
        throw new ToolError('upstream', 'The trading state cannot be read.', {
          cause,
          hint: 'Repeat without include_trading_state, or try again.',
        })
      }
    },
  }),
)
