import type { Asset, Window } from './window.ts'

/** A 60-second average as its source stamped it: `at` in Unix milliseconds, the price as a decimal text. */
export type Tick = { at: number; price: string }

/** A tick and who told it. */
export type SourcedTick = Tick & { source: string }

/** Source of average prices. */
export type TwapSource = {
  /** The average that the market compares for a window: the first one stamped at its start or after. Undefined where it is not known. */
  averageAt(window: Window, signal: AbortSignal): Promise<SourcedTick | undefined>
  /** The newest average; undefined where there is none. */
  latest(asset: Asset): SourcedTick | undefined
  close(): void
}

/** A report later than this is not the one the market takes. */
const maxLateMs = 2_000

/** Reports come each second; between two that are further apart one was missed. */
const maxGapMs = 2_500

/**
 * The tick that decides at a time (Unix seconds), of ticks in order. It must be certain that none came before it: it is stamped at the
 * very time, or the one before it is close.
 */
export const decidingTick = (ticks: readonly Tick[], unix: number): Tick | undefined => {
  const time = unix * 1000
  const index = ticks.findIndex(({ at }) => at >= time)
  const tick = ticks[index]
  if (!tick || tick.at - time > maxLateMs) return undefined
  const before = ticks[index - 1]
  return tick.at === time || (before && tick.at - before.at <= maxGapMs) ? tick : undefined
}

const form = /^\d{1,12}(?:\.\d{1,30})?$/

/** A price as a source tells it; undefined for what is none. */
export const parsePrice = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && form.test(text) && Number(text) > 0 ? text : undefined
}
