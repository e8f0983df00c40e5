import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { contest } from '../contestant.ts'
import { fixtureService } from '../fixture.ts'

/**
 * The whole program, as it is served: all eight services, or one with as many fixture tools as the argument says. With `proxied`, clients
 * are told apart by what they say of themselves.
 */
const dir = mkdtempSync(join(tmpdir(), 'octagent-bench-'))
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
const [kind] = process.argv.slice(2)
const count = kind === undefined || kind === 'proxied' ? undefined : Number(kind)
const config = readConfig(
  {
    PORT: '0',
    OCTAGENT_DATA: dir,
    OCTAGENT_LOG: 'info',
    OCTAGENT_RATE_LIMIT: '1000000000',
    ...(kind === 'proxied' && { TRUST_PROXY: '1' }),
  },
  services,
)
const app = await start(config, count === undefined ? {} : { only: fixtureService(count) })
/** Processor time of the event loop's thread so far, in milliseconds; Linux counts it. */
const loopMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

contest(app.url, { loopMs }, () => app.stop(true))
