import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { folder, serve } from '../program/run.ts'

/** Everything that would be asked outside is asked at a closed port of loopback, or under a name that nobody answers for. */
export const noWayOut: Readonly<Record<string, string>> = {
  DNS_SERVERS: '127.0.0.1:9',
  OCTAGENT_RDAP_BOOTSTRAP: 'http://rdap.invalid',
  OCTAGENT_VIES_URL: 'http://vies.invalid',
  GATEWAY_A2A_REGISTRY: 'http://a2a.invalid',
  GATEWAY_MCP_REGISTRY: 'http://mcp.invalid',
  GATEWAY_X402_BAZAAR: 'http://bazaar.invalid',
  GATEWAY_RELEASES: 'http://releases.invalid',
  ...Object.fromEntries(
    ['ETH', 'BASE', 'ARBITRUM', 'OPTIMISM', 'POLYGON'].map(chain => [
      `OCTAGENT_RPC_${chain}`,
      'http://127.0.0.1:9',
    ]),
  ),
}

/** Memory of a process in MiB: resident now, and at most so far. Zero where the system does not tell. */
export const readMemory = (pid: number | undefined): { now: number; peak: number } => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const read = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
    return { now: Math.round(read('VmRSS')), peak: Math.round(read('VmHWM')) }
  } catch {
    return { now: 0, peak: 0 }
  }
}

export type Target = Awaited<ReturnType<typeof startTarget>>

/** The compiled program in a process of its own, which believes a proxy about who calls, so that limits per client do not hide it. */
export const startTarget = async (more: Record<string, string> = {}) => {
  const dir = more.OCTAGENT_DATA ?? folder()
  const running = await serve({
    ...noWayOut,
    OCTAGENT_DATA: dir,
    OCTAGENT_RATE_LIMIT: '1000000',
    TRUST_PROXY: '1',
    ...more,
  })
  let exitCode: number | null | undefined
  void running.exit.then(code => {
    exitCode = code
  })
  return {
    ...running,
    dir,
    /** The exit code once it has ended; undefined while it runs. */
    exitCode: () => exitCode,
    memory: () => readMemory(running.child.pid),
    async stop() {
      running.child.kill('SIGKILL')
      await running.exit
      if (more.OCTAGENT_DATA === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}
