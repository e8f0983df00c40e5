import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { type Log, logFault, scrub } from '../mcp/kernel/log.ts'
import type { HmacKeys } from '../mcp/payment/derived-keys.ts'
import { type Installation, openInstallation, readSecrets, secretsFile } from '../mcp/ports/installation.ts'
import { checkPepper, type Peppers, rememberPepper } from '../mcp/ports/keys/keys.ts'
import type { Store } from '../mcp/ports/store/port.ts'
import type { Availability } from '../store/index.ts'
import type { Config } from './config.ts'

/** Opens the store that a configuration names. */
export const openStore = async (
  config: Config,
  log: Log,
  onStart: (report: string) => void,
): Promise<Store> => {
  const { DATABASE_URL, OCTAGENT_DATA, OCTAGENT_STORE_MAX_MB } = config
  const report = (problem: unknown) => logFault(log, { store: 'listener' }, problem)
  const onAvailability = ({ available, detail }: Availability) =>
    available
      ? log.info({ detail: scrub(detail) }, 'store is back')
      : log.error({ detail: scrub(detail) }, 'store is away')
  if (DATABASE_URL) {
    const { openPostgres } = await import('../store/postgres/open.ts')
    return openPostgres({
      url: DATABASE_URL.reveal(),
      direct: config.OCTAGENT_DATABASE_DIRECT_URL?.reveal(),
      connections: config.OCTAGENT_DATABASE_CONNECTIONS,
      report,
      onAvailability,
    })
  }
  const { openEmbedded } = await import('../store/embedded/open.ts')
  return openEmbedded({
    dir: join(OCTAGENT_DATA, 'store'),
    maxBytes: OCTAGENT_STORE_MAX_MB && OCTAGENT_STORE_MAX_MB * 1_000_000,
    report,
    onStart,
    onAvailability,
  })
}

/** The secrets, the same under which the store holds keys of callers; else a refusal, before any is made. */
export const openSecrets = async (config: Config, store: Store): Promise<Installation> => {
  const file = secretsFile(config.OCTAGENT_DATA)
  const configured = {
    ...(config.OCTAGENT_PEPPER && {
      pepper: config.OCTAGENT_PEPPER.reveal(),
      previousPepper: config.OCTAGENT_PEPPER_PREVIOUS?.reveal(),
    }),
    ...(config.OCTAGENT_SIGNING_KEY && {
      signingKey: config.OCTAGENT_SIGNING_KEY.reveal(),
      previousSigningKey: config.OCTAGENT_SIGNING_KEY_PREVIOUS?.reveal(),
    }),
  }
  await checkPepper(store, { ...(await readSecrets(config.OCTAGENT_DATA)), ...configured }, file)
  const secrets = { ...(await openInstallation(config.OCTAGENT_DATA)), ...configured }
  await rememberPepper(store, secrets, file)
  return secrets
}

/** The keys that payments are signed and encrypted with follow from the pepper. */
export const toHmacKeys = ({ pepper, previousPepper }: Peppers): HmacKeys => {
  const derive = (secret: string) => createHmac('sha256', secret).update('quotes').digest()
  return {
    hmacKey: derive(pepper),
    previousHmacKey: previousPepper === undefined ? undefined : derive(previousPepper),
  }
}
