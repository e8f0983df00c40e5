import { ToolError } from '../../kernel/error.ts'
import type { PaymentMethod } from '../method.ts'
import type { NetworkFinding } from './finding.ts'

/** A real network that is looked at again and again; nothing is quoted on it while a check fails. */
export type NetworkWatch = {
  /** The name that prices use. */
  network: string
  /** Results of the last look; the first one is waited for, ten seconds at most. */
  findings(): Promise<readonly NetworkFinding[]>
  /** Why nothing is quoted now; undefined when all is well. */
  problem(): Promise<string | undefined>
  close(): void
}

type Options = {
  network: string
  title: string
  look: () => Promise<NetworkFinding[]>
  /** Milliseconds between two looks while all is well, and while something is not. */
  pace?: { okMs: number; failingMs: number }
}

const summary = (title: string, findings: readonly NetworkFinding[]): string | undefined => {
  const bad = findings.filter(({ state }) => state !== 'ok')
  if (bad.length === 0) return undefined
  return `Payments on ${title} are off: ${bad.map(({ check, detail }) => `${check}: ${detail}`).join('; ')}.`
}

/**
 * Looks at a network in the background. One look that fails after good ones is looked at again before it counts: a node that
 * hiccups is no outage. A setting that is wrong counts at once.
 */
export const watchNetwork = ({
  network,
  title,
  look,
  pace = { okMs: 60_000, failingMs: 5_000 },
}: Options): NetworkWatch => {
  let last: readonly NetworkFinding[] | undefined
  let looking: Promise<readonly NetworkFinding[]> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const lookAgain = async (): Promise<readonly NetworkFinding[]> => {
    const isGood = (findings: readonly NetworkFinding[]) => findings.every(({ state }) => state === 'ok')
    const wasGood = last !== undefined && isGood(last)
    let findings = await look()
    const isWrong = findings.some(({ state }) => state === 'wrong')
    if (wasGood && !isGood(findings) && !isWrong) findings = await look()
    last = findings
    if (!closed) {
      timer = setTimeout(begin, isGood(findings) ? pace.okMs : pace.failingMs)
      timer.unref()
    }
    return findings
  }

  const begin = (): Promise<readonly NetworkFinding[]> => {
    looking ??= lookAgain().finally(() => {
      looking = undefined
    })
    return looking
  }

  const findings = async () => last ?? (await begin())

  return {
    network,
    findings,
    problem: async () => summary(title, await findings()),
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** A method that offers nothing while its network is not what it has to be; what was paid before goes on. */
export const whileSound = (method: PaymentMethod, { problem }: NetworkWatch): PaymentMethod => ({
  ...method,
  blocked: async () => (await problem()) ?? method.blocked?.(),
  offer: async (quote, rates) => {
    const reason = await problem()
    if (reason !== undefined)
      throw new ToolError('unavailable', reason, {
        retryAfter: 10,
        hint: 'Nothing was charged. Try again later.',
      })
    return method.offer(quote, rates)
  },
})
