import { sats } from '../../../kernel/tool.ts'
import type { Tier } from '../execution/tiers.ts'

/** Limits of a look at a page by tier, in seconds and steps. */
export const browseTiers = [
  { name: 'starter', seconds: 30, steps: 3, factor: 1 },
  { name: 'standard', seconds: 60, steps: 8, factor: 1 },
  { name: 'premium', seconds: 300, steps: 20, factor: 4 },
  { name: 'enterprise', seconds: 600, steps: 40, factor: 10 },
] as const

/** The steps of the largest tier. */
export const maxSteps = 40

export const browseActions = ['fetch', 'extract_text', 'screenshot', 'multi_step'] as const

export type BrowseAction = (typeof browseActions)[number]

const baseSats = { fetch: 500, extract_text: 500, screenshot: 1500, multi_step: 2000 } as const

/** The price of an action in a tier. */
export const priceBrowse = (action: BrowseAction, tier: Tier) =>
  sats(String(baseSats[action] * browseTiers[tier].factor))

/** True when an action is done in a browser. */
export const needsBrowser = (action: BrowseAction): action is 'screenshot' | 'multi_step' =>
  action === 'screenshot' || action === 'multi_step'
