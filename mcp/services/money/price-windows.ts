import { setMaxListeners } from 'node:events'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { readWindow } from './market/record.ts'
import { assets, nextWindow, windowAt, windowNames } from './market/window.ts'
import { marketNeeds, toDeps } from './price-to-beat.ts'

export default tool({
  name: 'price_windows',
  title: 'List market windows',
  keywords: ['minute', 'upcoming', '15', 'bitcoin', 'hourly', 'polymarket'],
  description:
    'Lists the windows of crypto up-or-down markets that run now and those that come next: start, end, name at the market, token ids, and whether price_to_beat can be bought now. Free.',
  input: z.object({
    asset: z.enum(assets).optional().describe('One asset; without it all four'),
    window: z.enum(windowNames).optional().describe('One length; without it both'),
  }),
  output: z.object({
    windows: z
      .array(
        z.object({
          asset: z.enum(assets).describe('Asset'),
          window: z.enum(windowNames).describe('Length'),
          slug: z.string().describe('Name at the market'),
          start: z.number().int().describe('Start, Unix seconds'),
          end: z.number().int().describe('End, Unix seconds'),
          starts_at: z.string().describe('Start, ISO 8601'),
          listed: z.boolean().describe('Whether the market lists it'),
          tokens: z
            .object({ up: z.string().describe('Token of Up'), down: z.string().describe('Token of Down') })
            .nullable()
            .describe('Tokens of the outcomes; null where it is not listed'),
          price_known: z.boolean().describe('Whether its price to beat is known, so that it can be bought'),
        }),
      )
      .describe('The window that runs and the next one, for each asset and length'),
    failed: z
      .array(
        z.object({
          slug: z.string().describe('Name at the market'),
          reason: z.string().describe('Why nothing is said of it'),
        }),
      )
      .describe('Windows of which nothing could be learnt'),
    simulated: z.boolean().describe('True on a local chain: market and prices are made up'),
  }),
  ...marketNeeds,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'price-to-beat', tags: ['prediction-markets'] },
  rest: { routes: ['GET /v1/predmkt'] },
  examples: [{ asset: 'btc', window: '5m' }],
  summary: ({ windows }) =>
    `${windows.filter(({ price_known: priceKnown }) => priceKnown).length} of ${windows.length} windows have a price to beat now.`,
}).run(async (ctx, { asset, window }) => {
  const deps = toDeps(ctx)
  // Sixteen windows are asked for at once, all under the signal of the call.
  setMaxListeners(0, ctx.signal)
  const now = deps.now() / 1000
  const current = assets
    .filter(name => asset === undefined || name === asset)
    .flatMap(name =>
      windowNames
        .filter(length => window === undefined || length === window)
        .map(length => windowAt(name, length, now)),
    )
  const all = current.flatMap(running => [
    { window: running, isCurrent: true },
    { window: nextWindow(running), isCurrent: false },
  ])
  const results = await Promise.allSettled(all.map(one => readWindow(deps, one.window, one.isCurrent)))
  return {
    simulated: deps.simulated,
    windows: results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : [])),
    failed: results.flatMap((result, index) => {
      if (result.status === 'fulfilled') return []
      if (!(result.reason instanceof ToolError)) throw result.reason
      return [{ slug: all[index]?.window.slug ?? '', reason: result.reason.message }]
    }),
  }
})
