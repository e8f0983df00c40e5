import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import money from '../../mcp/services/money/service.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/** The money service alone, with its local chains. */
const dir = await newFolder()
const { ANVIL } = process.env
const settings = { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_RATE_LIMIT: '1000000000' }
const config = readConfig({ ...settings, ...(ANVIL && { ANVIL }) }, [money])
const app = await createApp({ services: [money], config })
const url = await app.listen()
contest(url, { key: async () => (await openDevnetKeys(dir)).demo }, () => app.close(true))
