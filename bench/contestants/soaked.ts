import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { contest } from '../contestant.ts'

/** The whole program as it is served, which tells what it holds. It is started with --expose-gc. */
const dir = mkdtempSync(join(tmpdir(), 'octagent-soak-'))
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
const config = readConfig(
  { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'info', OCTAGENT_RATE_LIMIT: '1000000000' },
  services,
)
const app = await start(config)
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

contest(
  app.url,
  {
    /** Bytes and open descriptors, after the collector ran. */
    holds: async () => {
      for (let nth = 0; nth < 3; nth++) {
        globalThis.gc?.()
        await wait(20)
      }
      const { heapUsed, external, rss } = process.memoryUsage()
      return { heap: heapUsed + external, resident: rss, descriptors: readdirSync('/proc/self/fd').length }
    },
  },
  () => app.stop(true),
)
