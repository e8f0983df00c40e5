import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { start } from '../app/start.ts'
import { startEvm } from './internet/evm.ts'
import { startInternet } from './internet/internet.ts'
import { bootstrapUrl } from './internet/rdap.ts'
import { registryAddresses } from './internet/registries.ts'
import { startModel } from './model-server.ts'
import { filingsEnvironment, startRegulator } from './services/forecast/regulator.ts'
import { startVenues, venueEnvironment } from './services/proof/venue-server.ts'

/** The whole program on a free port of loopback, with the local internet for the outer one. */
export const startApp = async (
  environment: Record<string, string> = {},
  options: { conformance?: boolean } = {},
) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-app-'))
  const [internet, evm, model] = await Promise.all([startInternet(), startEvm(), startModel()])
  startRegulator(internet)
  startVenues(internet)
  const config = readConfig(
    {
      PORT: '0',
      OCTAGENT_DATA: dir,
      OCTAGENT_LOG: 'silent',
      OCTAGENT_RATE_LIMIT: '1000000',
      ...registryAddresses,
      OCTAGENT_RDAP_BOOTSTRAP: bootstrapUrl,
      OCTAGENT_VIES_URL: 'http://vies.example.com/rest-api',
      ...evm.environment,
      ...filingsEnvironment,
      ...venueEnvironment,
      LLM_URL: model.url,
      LLM_MODEL: 'small',
      ...environment,
    },
    services,
  )
  const app = await start(config, { ports: internet.ports(), ...options })
  return {
    url: app.url,
    internet,
    devnetRpc: app.devnetRpc,
    dir,
    async stop() {
      await app.stop()
      await internet.stop()
      evm.stop()
      await model.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
