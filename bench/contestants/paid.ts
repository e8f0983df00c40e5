import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/** The whole program with its local chains, as it comes. */
const dir = await newFolder()
const settings = { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_RATE_LIMIT: '1000000000' }
const { ANVIL } = process.env
const app = await start(readConfig({ ...settings, ...(ANVIL && { ANVIL }) }, services))
contest(
  app.url,
  {
    /** Where the local chain is, and the key of its demo wallet. */
    chain: async () => ({ rpc: await app.devnetRpc('base'), key: (await openDevnetKeys(dir)).demo }),
  },
  () => app.stop(true),
)
