import type { Service } from './service.ts'
import broker from './services/broker/service.ts'
import cat from './services/cat/service.ts'
import data from './services/data/service.ts'
import forecast from './services/forecast/service.ts'
import gateway from './services/gateway/service.ts'
import money from './services/money/service.ts'
import proof from './services/proof/service.ts'
import tasks from './services/tasks/service.ts'

/** The eight services, A to H. */
export const services: readonly Service[] = [gateway, broker, cat, data, money, proof, tasks, forecast]
