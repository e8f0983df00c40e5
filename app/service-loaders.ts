import type { Service } from '../mcp/kernel/service.ts'

type ServiceLoader = { slug: string; load(): Promise<{ default: Service }> }

/** The eight services, A to H, each of which can be loaded without the others. */
export const serviceLoaders: readonly ServiceLoader[] = [
  { slug: 'gateway', load: () => import('../mcp/services/gateway/service.ts') },
  { slug: 'broker', load: () => import('../mcp/services/broker/service.ts') },
  { slug: 'cat', load: () => import('../mcp/services/cat/service.ts') },
  { slug: 'data', load: () => import('../mcp/services/data/service.ts') },
  { slug: 'money', load: () => import('../mcp/services/money/service.ts') },
  { slug: 'proof', load: () => import('../mcp/services/proof/service.ts') },
  { slug: 'tasks', load: () => import('../mcp/services/tasks/service.ts') },
  { slug: 'forecast', load: () => import('../mcp/services/forecast/service.ts') },
]
