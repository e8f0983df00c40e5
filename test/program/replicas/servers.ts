import { rm } from 'node:fs/promises'
import { makeSigningKey } from '../../../mcp/ports/sign/sign.ts'
import { folder, octagent, type Running, serve } from '../run.ts'
import { balanceOver } from './round-robin.ts'

/** So many programs on one database behind one door, any of which may be killed and started again. */
export const openReplicas = async (database: string, count: number, more: Record<string, string> = {}) => {
  const dirs = Array.from({ length: count }, folder)
  const running: (Running | undefined)[] = []
  const starts: number[] = []
  const environment = {
    DATABASE_URL: database,
    OCTAGENT_PEPPER: 'p'.repeat(43),
    OCTAGENT_SIGNING_KEY: makeSigningKey(),
    OCTAGENT_DEVNET: 'false',
    OCTAGENT_RATE_LIMIT: '1000000',
    TRUST_PROXY: '1',
    ...more,
  }
  const start = async (n: number): Promise<void> => {
    running[n] = await serve({ ...environment, OCTAGENT_DATA: dirs[n] ?? '' })
    starts.push(Date.now())
  }
  const balancer = await balanceOver(count, n => running[n]?.url)
  await Promise.all(dirs.map((_, n) => start(n)))
  return {
    url: balancer.url,
    at: (n: number): string => running[n % count]?.url ?? '',
    counts: balancer.counts,
    lose: balancer.lose,
    /** When each of them was started. */
    starts,
    /** Ends one as a power cut does, and starts it again. */
    async kill(n: number): Promise<void> {
      const victim = running[n]
      victim?.child.kill('SIGKILL')
      await victim?.exit
      running[n] = undefined
      await start(n)
    },
    audit: (n: number) =>
      octagent(['audit', '--json'], {
        ...environment,
        OCTAGENT_DATA: dirs[n] ?? '',
        PORT: new URL(running[n]?.url ?? '').port,
      }),
    async close(): Promise<(number | null)[]> {
      for (const server of running) server?.child.kill('SIGTERM')
      const codes = await Promise.all(running.map(server => server?.exit ?? null))
      await balancer.close()
      for (const dir of dirs) await rm(dir, { recursive: true, force: true })
      return codes
    },
  }
}

export type Replicas = Awaited<ReturnType<typeof openReplicas>>
