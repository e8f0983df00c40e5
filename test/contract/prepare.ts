import type { Service } from '../../mcp/kernel/service.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { brokerScenarios } from '../services/broker/scenarios.ts'
import { catScenarios } from '../services/cat/scenarios.ts'
import { forecastScenarios } from '../services/forecast/scenarios.ts'
import { gatewayScenarios } from '../services/gateway/scenarios.ts'
import { moneyScenarios } from '../services/money/scenarios.ts'
import { proofScenarios } from '../services/proof/scenarios.ts'
import { tasksScenarios } from '../services/tasks/scenarios.ts'
import type { App, Headers, Input, Prepared, ServiceScenarios } from './scenario.ts'

const services: Record<string, ServiceScenarios> = {
  broker: brokerScenarios,
  cat: catScenarios,
  forecast: forecastScenarios,
  gateway: gatewayScenarios,
  money: moneyScenarios,
  proof: proofScenarios,
  tasks: tasksScenarios,
}

const isOpen = (service: Service, tool: AnyTool) => (tool.auth ?? service.auth).includes('public')

const newCredentials = async (app: App, { slug }: Service): Promise<Headers> => {
  const make = services[slug]?.credentials
  if (!make) throw new Error(`test/services/${slug}/scenarios.ts makes no credentials`)
  return make(app)
}

/** Whether an example can be answered here. */
export const isAnswerable = (service: Service, tool: AnyTool, way: string): boolean =>
  !services[service.slug]?.isUnanswerable?.(tool.name, way)

/** Makes what an example needs around it to work. */
export const prepare = async (app: App, service: Service, tool: AnyTool, input: Input): Promise<Prepared> => {
  const scenario = services[service.slug]?.tools[tool.name]
  if (scenario) return scenario(app, input)
  return { input, headers: isOpen(service, tool) ? {} : await newCredentials(app, service) }
}

const known = new WeakMap<App, Record<string, Promise<Headers>>>()

/** Credentials for calls that only meet the schema, the same for all of them. */
export const credentialsFor = async (app: App, service: Service, tool: AnyTool): Promise<Headers> => {
  if (isOpen(service, tool) && tool.price.unit !== 'credit') return {}
  const kept = known.get(app) ?? {}
  known.set(app, kept)
  kept[service.slug] ??= newCredentials(app, service)
  return kept[service.slug] ?? {}
}
