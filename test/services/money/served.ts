import type { Service } from '../../../mcp/kernel/service.ts'
import { moneySettings } from '../../../mcp/services/money/config.ts'
import { jobs } from '../../../mcp/services/money/jobs.ts'
import { ports } from '../../../mcp/services/money/ports.ts'
import money from '../../../mcp/services/money/service.ts'
import { tools } from '../../../mcp/services/money/tools.ts'

/** The money service with its tools, ports, jobs and settings, as it is served. */
export const servedMoney: Service = {
  ...money,
  tools: [...money.tools.filter(({ name }) => name === 'help'), ...tools],
  ports,
  jobs,
  settings: moneySettings,
}
