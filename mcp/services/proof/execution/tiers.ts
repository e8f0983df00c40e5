import { sats } from '../../../kernel/tool.ts'
import type { SandboxLimits } from '../../../ports/index.ts'

/** What a run of each tier may use. */
export const tiers = [
  { name: 'starter', seconds: 30, memoryMb: 512, cpus: 0.5, sats: 700 },
  { name: 'standard', seconds: 60, memoryMb: 1024, cpus: 1, sats: 700 },
  { name: 'premium', seconds: 300, memoryMb: 4096, cpus: 2, sats: 2800 },
  { name: 'enterprise', seconds: 600, memoryMb: 5120, cpus: 4, sats: 7000 },
] as const

/** Number of a tier. */
export type Tier = 0 | 1 | 2 | 3

/** The tier that callers have to be granted. */
export const grantedTier: Tier = 3

/** How much dearer a run is that may do anything inside the sandbox. */
const permissiveFactor = 3

export const outputBytes = 65_536
export const diskMb = 64
export const processes = 32

export const priceTier = (tier: Tier, permissive: boolean) =>
  sats(String(tiers[tier].sats * (permissive ? permissiveFactor : 1)))

/** The limits of a run; a time-out only shortens what its tier has. */
export const limitsFor = (tier: Tier, timeoutSeconds: number | null): SandboxLimits => {
  const { seconds, memoryMb, cpus } = tiers[tier]
  return {
    timeoutMs: Math.min(seconds, timeoutSeconds ?? seconds) * 1000,
    memoryBytes: memoryMb << 20,
    cpus,
    outputBytes,
    diskBytes: diskMb << 20,
    processes,
  }
}
