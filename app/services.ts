import type { Service } from '../mcp/kernel/service.ts'
import { serviceLoaders } from './service-loaders.ts'

/** The eight services, A to H. */
export const services: readonly Service[] = await Promise.all(
  serviceLoaders.map(async ({ load }) => (await load()).default),
)
