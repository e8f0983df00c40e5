import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { newAccountId } from '../../mcp/accounts/account.ts'
import { accessTokenPrefix, oauthRowsIn, toRowId } from '../../mcp/accounts/oauth/row.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { contest } from '../contestant.ts'

/** The whole program with one person who is signed in at the cat and at the broker; ready is the URL and a token of each. */
const dir = mkdtempSync(join(tmpdir(), 'octagent-bench-'))
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
const pepper = randomBytes(32).toString('base64url')
const store = await openEmbedded({ dir: join(dir, 'store') })
const config = readConfig(
  {
    PORT: '0',
    OCTAGENT_DATA: dir,
    OCTAGENT_LOG: 'error',
    OCTAGENT_RATE_LIMIT: '1000000000',
    OCTAGENT_PEPPER: pepper,
  },
  services,
)
const app = await createApp({ services, config, ports: { store } })
const url = await app.listen()
const keys = openKeys(Buffer.from(pepper))

const issue = async (slug: string): Promise<string> => {
  const token = `${accessTokenPrefix}${randomBytes(32).toString('base64url')}`
  const now = Date.now()
  await oauthRowsIn(store).put({
    id: toRowId(keys, 'AccessToken', token),
    model: 'AccessToken',
    payload: { aud: `${url}/${slug}/mcp`, extra: { client_name: 'Bench' } },
    grant: 'grant',
    account: newAccountId(),
    client: 'https://client.example/cli',
    uid: null,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 86_400_000).toISOString(),
  })
  return token
}

contest({ url, cat: await issue('cat'), broker: await issue('broker') }, {}, () => app.close(true))
