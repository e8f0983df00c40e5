import type { Service } from '../mcp/kernel/service.ts'
import broker from '../mcp/services/broker/service.ts'
import cat from '../mcp/services/cat/service.ts'
import data from '../mcp/services/data/service.ts'
import forecast from '../mcp/services/forecast/service.ts'
import gateway from '../mcp/services/gateway/service.ts'
import money from '../mcp/services/money/service.ts'
import proof from '../mcp/services/proof/service.ts'
import tasks from '../mcp/services/tasks/service.ts'

/** The eight services, A to H. */
export const services: readonly Service[] = [gateway, broker, cat, data, money, proof, tasks, forecast]
