import { sats } from '../../../kernel/tool.ts'
import type { SandboxLimits } from '../../../ports/sandbox/port.ts'

/** Limits of a run by tier, and the most that one costs. */
export const tiers = [
  { name: 'starter', seconds: 30, memoryMb: 512, cpus: 0.5, sats: 700 },
  { name: 'standard', seconds: 60, memoryMb: 1024, cpus: 1, sats: 700 },
  { name: 'premium', seconds: 300, memoryMb: 4096, cpus: 2, sats: 2800 },
  { name: 'enterprise', seconds: 600, memoryMb: 5120, cpus: 4, sats: 7000 },
] as const

/** Grace of a run beyond its time-out. */
const graceSeconds = 1

/** Number of a tier. */
export type Tier = 0 | 1 | 2 | 3

/** The tier that callers have to be granted. */
export const grantedTier: Tier = 3

/** Sats for what a run uses: to start it, for a second of a processor, for a gigabyte held for a second, and for each megabyte that goes in or out. */
export const rates = { start: 10, cpuSecond: 9, gigabyteSecond: 2.5, bytes: 1 } as const

const gigabyte = 2 ** 30
const byteStep = 1_000_000

/** How much dearer a run is that may do anything inside the sandbox. */
const permissiveFactor = 3

export const outputBytes = 65_536
const diskMb = 64
const processes = 32

const factor = (permissive: boolean): number => (permissive ? permissiveFactor : 1)

/** The most that a run of a tier costs, whatever it uses. */
export const priceTier = (tier: Tier, permissive: boolean) =>
  sats(String(tiers[tier].sats * factor(permissive)))

/** Usage of a run. `seconds` is from its start to its end, `bytes` all that went in and came out. */
export type Use = { seconds: number; cpuSeconds: number; memoryBytes: number; bytes: number }

const computeSats = ({ seconds, cpuSeconds, memoryBytes, bytes }: Use): number =>
  rates.start +
  rates.cpuSecond * cpuSeconds +
  rates.gigabyteSecond * (memoryBytes / gigabyte) * seconds +
  rates.bytes * Math.ceil(bytes / byteStep)

/** Prices a run by its use, in whole sats; never more than its tier. */
export const priceUse = (tier: Tier, permissive: boolean, use: Use) =>
  sats(String(Math.min(tiers[tier].sats, Math.ceil(computeSats(use))) * factor(permissive)))

/** The most that a run costs that ends by its time-out: what it would cost if it used all that it may. */
export const capPrice = (tier: Tier, permissive: boolean, timeoutSeconds: number | null, bytes: number) => {
  const { timeoutMs, memoryBytes, cpus } = limitsFor(tier, timeoutSeconds)
  // Starting and ending take a moment, too.
  const seconds = timeoutMs / 1000 + graceSeconds
  return priceUse(tier, permissive, { seconds, cpuSeconds: seconds * Math.max(1, cpus), memoryBytes, bytes })
}

/** The limits of a run; a time-out only shortens what its tier has. */
export const limitsFor = (tier: Tier, timeoutSeconds: number | null): SandboxLimits => {
  const { seconds, memoryMb, cpus } = tiers[tier]
  return {
    timeoutMs: Math.min(seconds, timeoutSeconds ?? seconds) * 1000,
    // Not shifted: 4,096 << 20 is 0.
    memoryBytes: memoryMb * 2 ** 20,
    cpus,
    outputBytes,
    diskBytes: diskMb << 20,
    processes,
  }
}
