import { ToolError } from '../../../kernel/error.ts'

export const assets = ['btc', 'eth', 'sol', 'xrp'] as const
export const windowNames = ['5m', '15m'] as const

export type Asset = (typeof assets)[number]
export type WindowName = (typeof windowNames)[number]

/** Seconds of each window. */
export const windowSeconds: Readonly<Record<WindowName, number>> = { '5m': 300, '15m': 900 }

/** One window of a market: from `start` to `end`, Unix seconds; `slug` is its name at the market. */
export type Window = { asset: Asset; window: WindowName; start: number; end: number; slug: string }

const toWindow = (asset: Asset, window: WindowName, start: number): Window => ({
  asset,
  window,
  start,
  end: start + windowSeconds[window],
  slug: `${asset}-updown-${window}-${start}`,
})

/** The window that runs at a time. */
export const windowAt = (asset: Asset, window: WindowName, unix: number): Window =>
  toWindow(asset, window, Math.floor(unix / windowSeconds[window]) * windowSeconds[window])

/** The window after another one. */
export const nextWindow = ({ asset, window, end }: Window): Window => toWindow(asset, window, end)

/** The window that starts at a time. Throws `invalid_input` where none does, `not_found` where it has not begun. */
export const requireWindow = (asset: Asset, window: WindowName, start: number, now: number): Window => {
  const seconds = windowSeconds[window]
  if (start % seconds !== 0)
    throw new ToolError('invalid_input', `No ${window} window starts at ${start}.`, {
      issues: [{ path: 'start', message: `must be a multiple of ${seconds}` }],
      hint: `The window that held it starts at ${Math.floor(start / seconds) * seconds}.`,
    })
  if (start > now)
    throw new ToolError(
      'not_found',
      `The window begins in ${Math.ceil(start - now)} s; its price to beat is not known.`,
      {
        reason: 'not_begun',
        retryAfter: start - now,
      },
    )
  return toWindow(asset, window, start)
}
