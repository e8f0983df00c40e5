import { type App, type AppOptions, createApp } from './app.ts'
import type { Config } from './config.ts'

/** The eight services, listening. */
export type StartedApp = Pick<App, 'devnetRpc' | 'solanaRpc' | 'fatal'> & {
  /** URL the server listens at, without a trailing slash. */
  url: string
  stop: App['close']
}

/** Opens the eight services, or only one, and listens where the configuration says. Throws ToolError `unavailable` for a port that is taken. */
export const start = async (
  config: Config,
  options: Pick<AppOptions, 'ports' | 'only' | 'conformance' | 'drainMs'> = {},
): Promise<StartedApp> => {
  const services = options.only ? [options.only] : (await import('./services.ts')).services
  const app = await createApp({ services, config, ...options })
  try {
    const { devnetRpc, solanaRpc, fatal } = app
    return { url: await app.listen(), devnetRpc, solanaRpc, fatal, stop: app.close }
  } catch (error) {
    await app.close(true)
    throw error
  }
}
